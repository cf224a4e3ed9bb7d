import type { Socket } from 'node:net';
import type { RawRequest } from '../request/request-context.ts';

// Process-wide: an entry belongs to its request.
const pending = new WeakMap<RawRequest, Socket>();

/** Records that a request's client requests an upgrade of this connection, for the request's handler. */
export function offerUpgrade(request: RawRequest, socket: Socket): void {
  pending.set(request, socket);
}

/**
 * The connection that a request's client wants to upgrade, with everything that came behind the request's headers;
 * undefined without an upgrade.
 */
export function pendingUpgrade(request: RawRequest): Socket | undefined {
  return pending.get(request);
}
