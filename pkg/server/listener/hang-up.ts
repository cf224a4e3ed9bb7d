import type { Socket } from 'node:net';

/** Time for an answer to get out before its connection is closed, milliseconds. */
export const GOODBYE_MS = 500;

/**
 * Ends a connection behind its last answer. Further input is dropped: closing at once would reset the connection before
 * the answer is read.
 */
export function hangUp(socket: Socket): void {
  const drop = (): void => undefined;
  // The first listener takes the bytes from the parser of HTTP/1.1; bytes behind a last answer are never read as
  // another request.
  socket.on('data', drop);
  socket.removeAllListeners('data');
  socket.on('data', drop);
  socket.resume();
  socket.end();
  const timer = setTimeout(() => socket.destroy(), GOODBYE_MS);
  socket.once('close', () => clearTimeout(timer));
}
