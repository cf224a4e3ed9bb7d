import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { paced, type ConnectionRate } from './connection-rates.ts';
import type { PacedStream } from './paced-stream.ts';

/** Silence before keep-alive probes, milliseconds. */
const KEEP_ALIVE_MS = 30_000;
/** How long one side may be silent after the other has ended, milliseconds. */
const HALF_CLOSED_MS = 30_000;

/**
 * Passes bytes between a client's connection and another at the rate of the slower one, within `rate`, until both are
 * closed. The end of one side is passed to the other, which may still finish; a side that breaks breaks the other.
 * Resolves when both are closed.
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
  // Such connections may be silent for hours: only probes find a lost peer.
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
 * Bytes that a side sent before it closed in good order still reach the other; after a break none of them are reliable.
 */
function endAfter(from: Socket, source: Readable, to: Socket): void {
  if (!from.readableEnded || to.destroyed) to.destroy();
  else if (source.readableEnded) to.destroySoon();
  else source.once('end', () => to.destroySoon());
}
