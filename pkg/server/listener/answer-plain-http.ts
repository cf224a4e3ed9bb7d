import type { Http2SecureServer } from 'node:http2';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { GOODBYE_MS } from './hang-up.ts';

/** Code of the error for a client that uses HTTP without TLS. */
export const PLAIN_HTTP = 'ERR_SSL_HTTP_REQUEST';

/** The words of Go's servers: clients and people know them. */
const ANSWER = 'HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n';

/** Answers a client that uses HTTP without TLS with the reason, instead of just disconnecting. */
export function answerPlainHttp(server: Http2SecureServer): void {
  server.on('tlsClientError', (error: Error & { code?: string }, socket: TLSSocket) => {
    if (error.code !== PLAIN_HTTP) return;
    // The connection below the TLS layer, which has no public name. Where it has another one the client gets no answer.
    const below = (socket as { _parent?: Socket })._parent;
    if (below === undefined || below.destroyed) return;
    below.on('error', () => undefined);
    below.setTimeout(GOODBYE_MS, () => below.destroy());
    below.end(ANSWER);
  });
}
