import type { IncomingMessage } from 'node:http';
import type { Http2SecureServer, Http2ServerRequest } from 'node:http2';
import type { Socket } from 'node:net';

const ignore = (): void => undefined;

/**
 * Over HTTP/1.1 the runtime pauses its parser at a request that comes while earlier answers are still unsent. The
 * parser sits below the connection's stream, and the TLS layer continues to pass it the records that were read with the
 * first: a paused parser reports these as a broken request (HPE_PAUSED). When the parser reads from the stream instead,
 * they wait there for it. That costs a buffer for each read: other connections stay unchanged.
 */
export function holdBackRecords(server: Http2SecureServer): void {
  server.on('request', (request: IncomingMessage | Http2ServerRequest) => {
    if (request.httpVersionMajor === 1 && request.socket.isPaused()) readFromStream(request.socket as Socket);
  });
}

function readFromStream(socket: Socket): void {
  // Any listener of 'data' makes the parser leave the place below the stream; its own listener stays.
  socket.on('data', ignore);
  socket.off('data', ignore);
  // The stream still waits for the read that the parser below it got; until that ends no other begins.
  socket.push('');
}
