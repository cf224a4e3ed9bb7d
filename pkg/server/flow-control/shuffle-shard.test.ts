import assert from 'node:assert/strict';
import { dealHand } from './shuffle-shard.ts';

describe('dealHand', () => {
  it('deals different queues, the same each time', () => {
    for (const [queues, handSize] of [
      [128, 6],
      [16, 4],
      [1, 1],
      [2, 2],
      [10_000, 8],
    ] as const) {
      const hand = dealHand('flow', queues, handSize);
      assert.equal(new Set(hand).size, handSize);
      assert.ok(hand.every((index) => index >= 0 && index < queues));
      assert.deepEqual(dealHand('flow', queues, handSize), hand);
    }
  });

  it('deals every queue about as often, and seldom the same hand to two flows', () => {
    const counts = Array.from({ length: 64 }, () => 0);
    const busy = new Set(dealHand('busy', 64, 6));
    let covered = 0;
    for (let i = 0; i < 10_000; i++) {
      const hand = dealHand(`flow-${i}`, 64, 6);
      for (const index of hand) counts[index]!++;
      if (hand.every((index) => busy.has(index))) covered++;
    }
    const expected = (10_000 * 6) / 64;
    for (const count of counts) assert.ok(Math.abs(count - expected) < 0.15 * expected, `${count} of ${expected}`);
    assert.ok(covered < 5, `${covered} flows have none of their own`);
  });
});
