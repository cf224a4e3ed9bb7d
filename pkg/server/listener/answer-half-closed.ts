import type { Http2SecureServer } from 'node:http2';
import type { Socket } from 'node:net';
import { sendWaiting } from '../answers/end-of-turn.ts';

/**
 * Over HTTP/1.1 the runtime closes a connection whose client says that it will send nothing more; answers that are
 * ready go out before.
 */
export function answerHalfClosed(server: Http2SecureServer): void {
  server.on('secureConnection', (socket: Socket) => socket.prependListener('end', sendWaiting));
}
