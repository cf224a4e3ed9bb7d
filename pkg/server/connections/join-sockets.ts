import type { Duplex } from 'node:stream';
import type { Socket } from 'node:net';

/** How long one side may go on without sending anything once the other has ended, milliseconds. */
const HALF_CLOSED_MS = 30_000;

/**
 * Passes bytes between two connections as fast as the slower one takes them, until both are closed. The end of one side is told to the other, which
 * may still finish; a side that breaks takes the other with it. Resolves when nothing of either is left.
 */
export async function joinSockets(one: Socket, other: Socket): Promise<void> {
  const closed = [one, other].map((socket) => new Promise<void>((resolve) => {
    if (socket.closed) resolve();
    else socket.once('close', () => resolve());
  }));
  passOn(one, other);
  passOn(other, one);
  await Promise.all(closed);
}

function passOn(from: Socket, to: Socket): void {
  from.allowHalfOpen = true;
  from.setNoDelay(true);
  from.pipe(to);
  from.once('end', () => boundRest(to));
  from.once('close', () => endAfter(from, to));
  if (from.destroyed) endAfter(from, to);
}

function boundRest(rest: Socket): void {
  rest.setTimeout(HALF_CLOSED_MS, () => rest.destroy());
}

/** What a side sent before it closed in good order still reaches the other; after a break nothing of it is to be trusted. */
function endAfter(from: Duplex, to: Socket): void {
  if (from.readableEnded && !to.destroyed) to.destroySoon();
  else to.destroy();
}
