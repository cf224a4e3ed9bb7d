import type { Socket } from 'node:net';
import type { RawRequest, RawResponse } from '../request/request-context.ts';

const unhurried = new WeakSet<Socket>();

/**
 * Lets the body of a request of HTTP/1.1 take its time until the request is answered, where others have a bound. Over
 * HTTP/2 each body has its own bound.
 */
export function leaveTime(request: RawRequest, response: RawResponse): void {
  if ('stream' in request) return;
  const { socket } = request;
  unhurried.add(socket);
  response.once('close', () => unhurried.delete(socket));
}

/** Whether what a connection is slow at is a body that may be. */
export function isUnhurried(socket: Socket): boolean {
  return unhurried.has(socket);
}
