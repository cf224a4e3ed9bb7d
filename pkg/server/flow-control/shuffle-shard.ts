import { createHash } from 'node:crypto';

/**
 * The queues that a flow may use: `handSize` different ones of `queues`, always the same for one flow. Two flows have
 * all of them in common so rarely that a busy one seldom leaves another without a free queue.
 */
export function dealHand(flow: string, queues: number, handSize: number): readonly number[] {
  const bits = createHash('sha512').update(flow).digest();
  const deck = Array.from({ length: queues }, (_, i) => i);
  const size = Math.min(handSize, queues, bits.length / BYTES_A_CARD);
  for (let i = 0; i < size; i++) {
    const pick = i + (bits.readUInt32LE(i * BYTES_A_CARD) % (queues - i));
    [deck[i], deck[pick]] = [deck[pick]!, deck[i]!];
  }
  return deck.slice(0, size);
}

const BYTES_A_CARD = 4;
