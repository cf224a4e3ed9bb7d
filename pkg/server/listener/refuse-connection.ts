import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { genericServerResponse } from '../../apimachinery/errors/status-error.ts';
import { hangUp } from './hang-up.ts';
import { HEADER_BYTES_MAX } from './listener-limits.ts';
import { isExemptFromTimeout } from './exempt-from-timeout.ts';

const REQUEST_TIMEOUT = 'ERR_HTTP_REQUEST_TIMEOUT';

const connectionErrors = new Map<string, readonly [code: number, message: string]>([
  ['HPE_HEADER_OVERFLOW', [431, `the request line and headers are too large: limit is ${HEADER_BYTES_MAX}`]],
  ['HPE_CHUNK_EXTENSIONS_OVERFLOW', [413, 'the chunk extensions of the request are too large']],
  [REQUEST_TIMEOUT, [408, 'the request did not arrive in time']],
]);

/** Invalid or late input is answered below the filters, and the connection closed. */
export function refuseConnection(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === REQUEST_TIMEOUT && isExemptFromTimeout(socket)) return;
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const [code, message] = connectionErrors.get(error.code ?? '') ?? [400, 'the request could not be read'];
  const body = JSON.stringify(genericServerResponse(code, message).status);
  socket.write(
    `HTTP/1.1 ${code} ${STATUS_CODES[code]}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
  hangUp(socket);
}
