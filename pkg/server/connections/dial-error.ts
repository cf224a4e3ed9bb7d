/** A backend cannot be reached. The message is meant for clients, in the words that they know. */
export class DialError extends Error {}

const reasons = new Map<string, string>([
  ['ECONNREFUSED', 'connect: connection refused'],
  ['EHOSTUNREACH', 'connect: no route to host'],
  ['ENETUNREACH', 'connect: network is unreachable'],
  ['ECONNRESET', 'connection reset by peer'],
  ['ETIMEDOUT', 'i/o timeout'],
  ['EADDRNOTAVAIL', 'connect: cannot assign requested address'],
]);

/** `address` is `ip:port`. */
export function connectError(address: string, error: Error & { code?: string }): DialError {
  return new DialError(`dial tcp ${address}: ${reasons.get(error.code ?? '') ?? 'connect: failed'}`);
}

export function resolveError(host: string, error: Error & { code?: string }): DialError {
  return new DialError(
    `dial tcp: lookup ${host}: ${error.code === 'ENOTFOUND' ? 'no such host' : 'server misbehaving'}`,
  );
}

const certificateReasons = new Map<string, string>([
  ['CERT_HAS_EXPIRED', 'certificate has expired or is not yet valid'],
  ['CERT_NOT_YET_VALID', 'certificate has expired or is not yet valid'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'certificate is not valid for the name of the host'],
]);
const UNKNOWN_AUTHORITY = /^(UNABLE_TO_|SELF_SIGNED_CERT|DEPTH_ZERO_|CERT_SIGNATURE_FAILURE|INVALID_CA)/;

/** A TLS error; texts of the library stay inside. */
export function handshakeError(error: Error & { code?: string }): DialError {
  const code = error.code ?? '';
  const reason =
    certificateReasons.get(code) ??
    (UNKNOWN_AUTHORITY.test(code) ? 'certificate signed by unknown authority' : undefined);
  if (reason !== undefined) return new DialError(`x509: ${reason}`);
  return new DialError(code === 'ECONNRESET' ? 'EOF' : 'tls: handshake failure');
}

/** An error on an open connection. */
export function exchangeError(error: Error & { code?: string }): DialError {
  if (error.code?.startsWith('HPE_')) return new DialError('net/http: malformed HTTP response');
  return new DialError(
    error.code === 'ECONNRESET' ? 'EOF' : (reasons.get(error.code ?? '') ?? 'the connection failed'),
  );
}
