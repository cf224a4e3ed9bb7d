import type { X509Certificate } from 'node:crypto';
import type { TLSSocket } from 'node:tls';
import type { RawRequest } from './request-context.ts';

// Process-wide: an entry belongs to its connection.
const shown = new WeakMap<object, X509Certificate | undefined>();

/**
 * The certificate that the connection's client sent, not verified: one object per connection, since reading it takes a
 * while.
 */
export function clientCertificateOf(request: RawRequest): X509Certificate | undefined {
  const connection = 'stream' in request ? request.stream.session : request.socket;
  if (connection === undefined) return undefined;
  if (!shown.has(connection))
    shown.set(
      connection,
      (('socket' in connection ? connection.socket : connection) as TLSSocket).getPeerX509Certificate?.(),
    );
  return shown.get(connection);
}
