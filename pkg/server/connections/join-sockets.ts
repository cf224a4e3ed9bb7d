import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { paced, type ConnectionRate } from './connection-rates.ts';
import type { PacedStream } from './paced-stream.ts';

/** Of silence before a peer is asked whether it is there, milliseconds. */
const KEEP_ALIVE_MS = 30_000;
/** How long one side may go on without sending anything once the other has ended, milliseconds. */
const HALF_CLOSED_MS = 30_000;

/**
 * Passes bytes between a client's connection and another as fast as the slower one takes them, and `rate` allows, until
 * both are closed. The end of one side is told to the other, which may still finish; a side that breaks takes the other
 * with it. Resolves when nothing of either is left.
 */
export async function joinSockets(client: Socket, other: Socket, rate?: ConnectionRate): Promise<void> {
  const closed = [client, other].map(
    (socket) =>
      new Promise<void>((resolve) => {
        if (socket.closed) resolve();
        else socket.once('close', () => resolve());
      }),
  );
  passOn(client, other, rate?.fromClient());
  passOn(other, client, rate?.toClient());
  await Promise.all(closed);
}

function passOn(from: Socket, to: Socket, pace: PacedStream | undefined): void {
  from.allowHalfOpen = true;
  from.setNoDelay(true);
  // Such connections may be silent for hours: a peer that vanished is found by this alone.
  from.setKeepAlive(true, KEEP_ALIVE_MS);
  const source = paced(from, pace, to);
  source.pipe(to);
  from.once('end', () => boundRest(to));
  from.once('close', () => endAfter(from, source, to));
  if (from.destroyed) endAfter(from, source, to);
}

function boundRest(rest: Socket): void {
  rest.setTimeout(HALF_CLOSED_MS, () => rest.destroy());
}

/**
 * What a side sent before it closed in good order still reaches the other; after a break nothing of it is to be
 * trusted.
 */
function endAfter(from: Socket, source: Readable, to: Socket): void {
  if (!from.readableEnded || to.destroyed) to.destroy();
  else if (source.readableEnded) to.destroySoon();
  else source.once('end', () => to.destroySoon());
}
