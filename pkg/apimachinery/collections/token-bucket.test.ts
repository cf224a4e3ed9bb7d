import assert from 'node:assert/strict';
import { TokenBucket } from './token-bucket.ts';

describe('token bucket', () => {
  it('gives a burst, then as much as comes back', () => {
    let nowMs = 0;
    const bucket = new TokenBucket({ burst: 2, perSecond: 10 }, () => nowMs);
    assert.deepEqual([bucket.take(), bucket.take(), bucket.take()], [0, 0, 100]);
    nowMs = 60;
    assert.equal(bucket.take(), 40);
    nowMs = 100;
    assert.deepEqual([bucket.take(), bucket.take()], [0, 100]);
  });

  it('keeps no more than a burst over a long pause', () => {
    let nowMs = 0;
    const bucket = new TokenBucket({ burst: 2, perSecond: 10 }, () => nowMs);
    nowMs = 3_600_000;
    assert.deepEqual([bucket.take(), bucket.take(), bucket.take()], [0, 0, 100]);
  });

  it('is not affected by a clock that is set back', () => {
    let nowMs = 3_600_000;
    const bucket = new TokenBucket({ burst: 2, perSecond: 10 }, () => nowMs);
    nowMs = 0;
    assert.deepEqual([bucket.take(), bucket.take(), bucket.take()], [0, 0, 100]);
  });

  it('returns how long the debt beyond the burst lasts', () => {
    let nowMs = 0;
    const bucket = new TokenBucket({ burst: 100, perSecond: 1000 }, () => nowMs);
    assert.equal(bucket.spend(100), 0);
    assert.equal(bucket.spend(250), 250);
    nowMs = 200;
    assert.equal(bucket.spend(0), 50);
    nowMs = 250;
    assert.equal(bucket.spend(0), 0);
  });
});
