import { serviceUnavailable } from '../../apimachinery/errors/status-error.ts';
import type { Backend } from '../connections/backend.ts';

/** How long a pod may take to accept a connection, milliseconds. */
const DIAL_TIMEOUT_MS = 30_000;

/**
 * A port of a pod or a node, as a client names it: the server behind it is not verified. `scheme` and `port` may be
 * empty. Throws 503 for an invalid port.
 */
export function proxyBackend(scheme: string, host: string, port: string): Backend {
  const isHttps = scheme === 'https';
  const number = port === '' ? (isHttps ? 443 : 80) : Number(port);
  if (!/^\d*$/.test(port) || number < 1 || number > 65_535)
    throw serviceUnavailable(`error trying to reach service: dial tcp: address ${port}: invalid port`);
  return { scheme: isHttps ? 'https' : 'http', host, port: number, isTrusted: false, dialTimeoutMs: DIAL_TIMEOUT_MS };
}
