import http, { type IncomingMessage, type RequestOptions } from 'node:http';
import https from 'node:https';
import { isIP } from 'node:net';
import { failedBySignature, LegacyNameError } from './deprecated-certificates.ts';
import type { NetworkFailure } from './webhook-error.ts';

/** The connection was a kept one and was closed before anything came back. */
class StaleConnectionError extends Error {}

/**
 * Sends a request. A kept connection that is reset before anything was answered was most likely closed by the service
 * just before: the request is sent again, at worst once for each of `keptMax`.
 */
export async function exchange(request: RequestOptions, bytes: Uint8Array, keptMax: number): Promise<IncomingMessage> {
  for (let left = keptMax; ; left--) {
    try {
      return await send(request, bytes);
    } catch (error) {
      if (!(error instanceof StaleConnectionError) || left === 0) throw error;
    }
  }
}

function send(options: RequestOptions, bytes: Uint8Array): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const request = (options.protocol === 'https:' ? https : http).request(options, resolve);
    request.on('error', (error: NodeJS.ErrnoException) => {
      const stale = request.reusedSocket && (error.code === 'ECONNRESET' || error.code === 'EPIPE');
      reject(stale ? new StaleConnectionError('stale connection') : error);
    });
    request.end(bytes);
  });
}

/** The error of a connection. Codes say enough; messages of the runtime may contain more than they should. */
export function networkProblem(error: unknown): string {
  const { code, host = '', cert } = error as { code?: string; host?: string; cert?: { subjectaltname?: string } };
  if (error instanceof StaleConnectionError) return 'the connection failed: ECONNRESET';
  if (error instanceof LegacyNameError) return 'x509: certificate relies on legacy Common Name field, use SANs instead';
  if (failedBySignature(error)) return 'x509: cannot verify signature: insecure algorithm';
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') return otherHostProblem(host, cert?.subjectaltname);
  return `the connection failed: ${code ?? 'unknown error'}`;
}

/** The same for programs; undefined for other errors than those of the connection. */
export function networkFailure(error: unknown): NetworkFailure | undefined {
  // A host of several addresses fails by all of them.
  const { code, address, port } = (error instanceof AggregateError ? error.errors.at(-1) : error) as {
    code?: string;
    address?: string;
    port?: number;
  };
  if (error instanceof StaleConnectionError) return { code: 'ECONNRESET' };
  if (code === undefined) return undefined;
  return address === undefined || port === undefined
    ? { code }
    : { code, address: isIP(address) === 6 ? `[${address}]:${port}` : `${address}:${port}` };
}

/** Limit of the names of a certificate in a message. */
const NAMES_MAX = 100;

/**
 * The error of a certificate for other hosts, in the words of clients of stock servers; `names` are those of the
 * runtime: `DNS:a, IP Address:192.0.2.1`.
 */
function otherHostProblem(host: string, names = ''): string {
  const label = isIP(host) === 0 ? 'DNS:' : 'IP Address:';
  const valid = names
    .split(', ')
    .filter((name) => name.startsWith(label))
    .slice(0, NAMES_MAX)
    .map((name) => name.slice(label.length));
  if (valid.length > 0) return `x509: certificate is valid for ${valid.join(', ')}, not ${host}`;
  if (isIP(host) !== 0) return `x509: cannot validate certificate for ${host} because it doesn't contain any IP SANs`;
  return `x509: certificate is not valid for any names, but wanted to match ${host}`;
}
