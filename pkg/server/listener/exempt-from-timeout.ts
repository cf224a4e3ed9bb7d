import type { Socket } from 'node:net';
import type { RawRequest, RawResponse } from '../request/request-context.ts';

// Process-wide: an entry belongs to its connection.
const exempt = new WeakSet<Socket>();

/**
 * Lets the body of a request of HTTP/1.1 take its time until the request is answered, where others have a bound. Over
 * HTTP/2 each body has its own bound.
 */
export function exemptFromTimeout(request: RawRequest, response: RawResponse): void {
  if ('stream' in request) return;
  const { socket } = request;
  exempt.add(socket);
  response.once('close', () => exempt.delete(socket));
}

/** Whether what a connection is slow at is a body that may be. */
export function isUnhurried(socket: Socket): boolean {
  return exempt.has(socket);
}
