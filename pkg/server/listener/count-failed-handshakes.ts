import type { Http2SecureServer } from 'node:http2';
import { PLAIN_HTTP } from './answer-plain-http.ts';

/**
 * Counts connections that end in their TLS handshake, but for those that speak HTTP without TLS: these get an answer.
 */
export function countFailedHandshakes(server: Http2SecureServer, onFailed: () => void): void {
  server.on('tlsClientError', (error: Error & { code?: string }) => {
    if (error.code !== PLAIN_HTTP) onFailed();
  });
}
