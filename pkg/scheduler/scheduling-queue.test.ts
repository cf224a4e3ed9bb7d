import assert from 'node:assert/strict';
import { FakeClock } from '../apimachinery/clock-testing.ts';
import { SchedulingQueue } from './scheduling-queue.ts';

describe('SchedulingQueue', () => {
  let clock: FakeClock;
  let queue: SchedulingQueue<string>;
  beforeEach(() => {
    clock = new FakeClock();
    queue = new SchedulingQueue(clock);
  });
  const add = (...pods: readonly (readonly [key: string, priority: number])[]): void => {
    for (const [key, priority] of pods) queue.add({ key, priority });
  };
  const takeAll = (): string[] => {
    const keys: string[] = [];
    for (let next = queue.take(); next !== undefined; next = queue.take()) keys.push(next);
    return keys;
  };
  const anything = (): boolean => true;

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

  it('keeps what no node could take until something changes that may help it', () => {
    add(['a', 0], ['b', 0]);
    for (const key of takeAll()) queue.rejected(key, `why ${key}`);
    assert.deepEqual(takeAll(), []);
    queue.move((why) => why === 'why b');
    assert.equal(queue.nextMs(), 0);
    assert.deepEqual(takeAll(), ['b']);
  });

  it('lets pods wait for a backoff that doubles while there are others', async () => {
    add(['a', 0]);
    queue.take();
    for (const backoff of [1000, 2000, 4000, 8000, 10_000, 10_000]) {
      queue.rejected('a', '');
      queue.move(anything);
      await clock.advance(backoff - 1);
      add(['later', -1]);
      assert.equal(queue.take(), 'later');
      queue.remove('later');
      await clock.advance(1);
      add(['later', -1]);
      assert.equal(queue.take(), 'a');
      queue.remove('later');
    }
  });

  it('tries a pod at once when it changes, also while it is tried, and after five minutes in any case', async () => {
    add(['a', 0], ['b', 0], ['c', 0]);
    const keys = takeAll();
    add(['c', 0]);
    for (const key of keys) queue.rejected(key, '');
    assert.deepEqual(takeAll(), ['c']);
    add(['a', 0]);
    assert.deepEqual(takeAll(), ['a']);
    await clock.advance(299_999);
    assert.deepEqual(takeAll(), []);
    await clock.advance(1);
    assert.deepEqual(takeAll(), ['b']);
  });

  it('tries again after an error without any change, but no earlier than its backoff', async () => {
    add(['a', 0]);
    queue.take();
    queue.failed('a');
    queue.move(anything);
    assert.deepEqual(takeAll(), []);
    assert.equal(queue.nextMs(), 1000);
    await clock.advance(1000);
    assert.deepEqual(takeAll(), ['a']);
  });
});
