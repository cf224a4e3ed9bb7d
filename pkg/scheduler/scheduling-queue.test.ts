import assert from 'node:assert/strict';
import { FakeClock } from '../apimachinery/clock-testing.ts';
import { SchedulingQueue } from './scheduling-queue.ts';

describe('SchedulingQueue', () => {
  let clock: FakeClock;
  let queue: SchedulingQueue;
  beforeEach(() => {
    clock = new FakeClock();
    queue = new SchedulingQueue(clock);
  });
  const add = (...pods: readonly (readonly [key: string, priority: number])[]): void => {
    for (const [key, priority] of pods) queue.add({ key, priority });
  };
  const takeAll = (): string[] => {
    const keys: string[] = [];
    for (let next = queue.take(); next !== undefined; next = queue.take()) keys.push(next.key);
    return keys;
  };

  it('gives pods by priority, then in the order in which they came', () => {
    add(['a', 0], ['b', 5], ['c', 0], ['d', 5], ['e', -1], ['f', 7]);
    assert.deepEqual(takeAll(), ['f', 'b', 'd', 'a', 'c', 'e']);
  });

  it('orders many pods as a sort does', () => {
    const pods = Array.from({ length: 500 }, (_, i) => [`p${i}`, (i * 7919) % 13] as const);
    add(...pods);
    const sorted = pods.toSorted(([, a], [, b]) => b - a).map(([key]) => key);
    assert.deepEqual(takeAll(), sorted);
  });

  it('gives no pod that was removed, and one whose priority changed once', () => {
    add(['a', 0], ['b', 0], ['c', 0]);
    queue.remove('b');
    add(['c', 9]);
    assert.deepEqual(takeAll(), ['c', 'a']);
    assert.equal(queue.size, 2);
  });

  it('keeps what no node could take until something changes, and then for a backoff that doubles', async () => {
    add(['a', 0]);
    for (const backoff of [1000, 2000, 4000, 8000, 10_000, 10_000]) {
      const { mark } = queue.take()!;
      queue.failed('a', mark, false);
      assert.equal(queue.take(), undefined);
      queue.moveAll();
      assert.equal(queue.nextMs(), backoff);
      await clock.advance(backoff - 1);
      assert.equal(queue.take(), undefined);
      await clock.advance(1);
    }
  });

  it('does not wait for another change when one came while the pod was tried, or when it changed itself', async () => {
    add(['a', 0], ['b', 0], ['c', 0]);
    const [a, b, c] = [queue.take()!, queue.take()!, queue.take()!];
    queue.failed('c', c.mark, false);
    queue.moveAll();
    queue.failed('a', a.mark, false);
    const late = queue.take();
    assert.equal(late, undefined);
    add(['b', 0]);
    queue.failed('b', b.mark + 1, false);
    await clock.advance(1000);
    assert.deepEqual(takeAll().sort(), ['a', 'b', 'c']);
  });

  it('tries a pod at once when it changes, and after five minutes in any case', async () => {
    add(['a', 0], ['b', 0]);
    for (let next = queue.take(); next !== undefined; next = queue.take()) queue.failed(next.key, next.mark, false);
    add(['a', 0]);
    assert.deepEqual(takeAll(), ['a']);
    await clock.advance(299_999);
    assert.deepEqual(takeAll(), []);
    await clock.advance(1);
    assert.deepEqual(takeAll(), ['b']);
  });

  it('tries again after an error without any change', async () => {
    add(['a', 0]);
    const { mark } = queue.take()!;
    queue.failed('a', mark, true);
    await clock.advance(1000);
    assert.deepEqual(takeAll(), ['a']);
  });
});
