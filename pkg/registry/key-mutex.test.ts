import assert from 'node:assert/strict';
import { setImmediate as turn } from 'node:timers/promises';
import { KeyMutex } from './key-mutex.ts';

describe('KeyMutex', () => {
  it('gives turns on a key in the order of requests', async () => {
    const mutex = new KeyMutex();
    const seen: string[] = [];
    let inside = 0;
    await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        mutex.run('k', async () => {
          assert.equal(++inside, 1);
          seen.push(String(i));
          for (let n = i % 3; n >= 0; n--) await turn();
          inside--;
        }),
      ),
    );
    assert.deepEqual(
      seen,
      Array.from({ length: 20 }, (_, i) => String(i)),
    );
  });

  it('runs other keys meanwhile', async () => {
    const mutex = new KeyMutex();
    let release!: () => void;
    const held = mutex.run(
      'a',
      () =>
        new Promise<void>((resolve) => {
          release = resolve;
        }),
    );
    assert.equal(await mutex.run('b', () => Promise.resolve('b')), 'b');
    release();
    await held;
  });

  it('returns results and failures to their callers, and continues after a failure', async () => {
    const mutex = new KeyMutex();
    const failing = mutex.run('k', () => Promise.reject(new Error('no')));
    const next = mutex.run('k', () => Promise.resolve(7));
    await assert.rejects(failing, { message: 'no' });
    assert.equal(await next, 7);
    await assert.rejects(
      mutex.run('k', () => {
        throw new Error('at once');
      }),
      { message: 'at once' },
    );
    assert.equal(await mutex.run('k', () => Promise.resolve(8)), 8);
  });

  it('lets the next continue beside a holder that waits outside for too long', async () => {
    const mutex = new KeyMutex();
    let answer!: () => void;
    const lost: boolean[] = [];
    const slow = mutex.run('k', async (turn) => {
      await turn.yieldAfterWait(
        () =>
          new Promise<void>((resolve) => {
            answer = resolve;
          }),
      );
      lost.push(turn.isLost);
    });
    await mutex.run('k', async (turn) => void lost.push(await turn.yieldAfterWait(async () => turn.isLost)));
    assert.deepEqual(lost, [false]);
    answer();
    await slow;
    assert.deepEqual(lost, [false, true]);
    const order: number[] = [];
    await Promise.all(
      [1, 2].map((n) =>
        mutex.run('k', async () => {
          await turn();
          order.push(n);
        }),
      ),
    );
    assert.deepEqual(order, [1, 2], 'and no other runs beside one that does not');
  });

  it('keeps nothing of free keys', async () => {
    const mutex = new KeyMutex();
    await Promise.all(Array.from({ length: 100 }, (_, i) => mutex.run(`k${i % 10}`, () => turn())));
    assert.equal((mutex as unknown as { tails: Map<string, unknown> }).tails.size, 0);
  });
});
