import assert from 'node:assert/strict';
import { slowStart } from './slow-start.ts';

describe('slowStart', () => {
  /** Sizes of the batches that ran at once. */
  async function batches(count: number, fails: (index: number) => boolean = () => false, firstBatch?: number) {
    const sizes: number[] = [];
    let inFlight = 0;
    const result = await slowStart(
      count,
      async (index) => {
        inFlight++;
        await new Promise(setImmediate);
        if (inFlight > 0) sizes.push(inFlight);
        inFlight = 0;
        if (fails(index)) throw new Error(`call ${index}`);
      },
      firstBatch,
    );
    return { sizes, ...result };
  }

  it('doubles the calls that are made at once', async () => {
    assert.deepEqual(await batches(12), { sizes: [1, 2, 4, 5], succeeded: 12, skipped: 0 });
    assert.deepEqual(await batches(0), { sizes: [], succeeded: 0, skipped: 0 });
    assert.deepEqual(await batches(5, undefined, 4), { sizes: [4, 1], succeeded: 5, skipped: 0 });
  });

  it('makes no more calls behind a failure, and says how many are missing', async () => {
    assert.deepEqual(await batches(1000, () => true), {
      sizes: [1],
      succeeded: 0,
      skipped: 999,
      error: new Error('call 0'),
    });
    const { sizes, succeeded, skipped, error } = await batches(20, (index) => index === 4 || index === 6);
    assert.deepEqual([sizes, succeeded, skipped], [[1, 2, 4], 5, 13]);
    assert.match(String(error), /call 4/);
  });

  it('takes a call that throws for one that fails', async () => {
    const { error, skipped } = await slowStart(3, () => {
      throw new Error('at once');
    });
    assert.deepEqual([(error as Error).message, skipped], ['at once', 2]);
  });
});
