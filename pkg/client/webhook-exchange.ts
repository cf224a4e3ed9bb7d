import http, { type IncomingMessage, type RequestOptions } from 'node:http';
import https from 'node:https';

/** The connection was a kept one and is gone before anything came back. */
class StaleConnectionError extends Error {}

/** Sends a request. A kept connection that is reset before anything was answered was most likely closed by the service just before: the request is sent again, at worst once for each of `keptMax`. */
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

/** What went wrong with a connection. Codes tell enough; messages of the runtime may hold more than they should. */
export function networkProblem(error: unknown): string {
  const { code, reason } = error as { code?: string; reason?: string };
  if (error instanceof StaleConnectionError) return 'the connection failed: ECONNRESET';
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') return `its certificate is not for this host: ${reason ?? ''}`;
  return `the connection failed: ${code ?? 'unknown error'}`;
}
