import { ServerResponse, type IncomingMessage } from 'node:http';
import type { Http2SecureServer } from 'node:http2';
import type { Socket } from 'node:net';
import { hangUp } from '../listener/hang-up.ts';
import { namesOneHost } from '../listener/one-host.ts';
import { unreadable } from '../listener/unreadable.ts';
import type { RawRequest, RawResponse } from '../request/request-context.ts';
import { offerUpgrade } from './pending-upgrade.ts';

/** Called with each request; never rejects. */
type Handle = (request: RawRequest, response: RawResponse, refusal: Error | undefined) => Promise<void>;

/**
 * HTTP/1.1 requests for an upgrade pass the same filters as all others to a handler, which may take the connection
 * over. Where none does, the request is answered as an ordinary one, and the connection closed: bytes behind its
 * headers are never read as another request. Node reads no body of such a request; one that has one is refused.
 */
export function acceptUpgrades(server: Http2SecureServer, handle: Handle): void {
  server.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) => {
    socket.on('error', () => undefined);
    if (head.length > 0) socket.unshift(head);
    const response = new ServerResponse(request);
    response.shouldKeepAlive = false;
    response.assignSocket(socket);
    response.once('finish', () => hangUp(socket));
    offerUpgrade(request, socket);
    void handle(request, response, hasBody(request) || !namesOneHost(request) ? unreadable() : undefined);
  });
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) !== 0;
}
