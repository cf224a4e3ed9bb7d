import type { Socket } from 'node:net';
import type { RawRequest } from '../request/request-context.ts';

// Process-wide: an entry belongs to its request.
const pending = new WeakMap<RawRequest, Socket>();

/** Notes that a request's client asks for another protocol on this connection, which is up to the request's handler. */
export function offerUpgrade(request: RawRequest, socket: Socket): void {
  pending.set(request, socket);
}

/**
 * The connection that a request asks to be switched, with everything on it that came behind the request's headers;
 * undefined where it asks nothing.
 */
export function pendingUpgrade(request: RawRequest): Socket | undefined {
  return pending.get(request);
}
