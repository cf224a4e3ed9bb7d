import type { Socket } from 'node:net';
import type { RawRequest, RawResponse } from '../request/request-context.ts';

// Process-wide: an entry belongs to its connection.
const exempt = new WeakSet<Socket>();

/**
 * Exempts the body of a request of HTTP/1.1 from the timeout until the request is answered. Over HTTP/2 each body has a
 * separate bound.
 */
export function exemptFromTimeout(request: RawRequest, response: RawResponse): void {
  if ('stream' in request) return;
  const { socket } = request;
  exempt.add(socket);
  response.once('close', () => exempt.delete(socket));
}

/** Whether the connection waits for a body that is exempt. */
export function isExemptFromTimeout(socket: Socket): boolean {
  return exempt.has(socket);
}
