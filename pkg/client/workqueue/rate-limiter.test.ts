import assert from 'node:assert/strict';
import { FakeClock } from '../../apimachinery/clock-testing.ts';
import { defaultRateLimiter, ExponentialBackoff, LongestOf, OverallBucket } from './rate-limiter.ts';

describe('rate limiters', () => {
  it('double the wait of each key separately, up to a bound', () => {
    const limiter = new ExponentialBackoff(5, 1_000_000);
    const waits = Array.from({ length: 20 }, () => limiter.when('a'));
    assert.deepEqual(
      [waits.slice(0, 4), waits.at(-3), waits.at(-2), waits.at(-1)],
      [[5, 10, 20, 40], 655_360, 1_000_000, 1_000_000],
    );
    assert.equal(limiter.when('b'), 5);
    for (let i = 0; i < 2000; i++) limiter.when('a');
    assert.equal(limiter.when('a'), 1_000_000);
    limiter.forget('a');
    assert.deepEqual([limiter.numRequeues('a'), limiter.when('a')], [0, 5]);
  });

  it('share a bucket: beyond its burst each failure waits one turn longer', () => {
    const clock = new FakeClock();
    const limiter = new OverallBucket({ burst: 2, perSecond: 10 }, clock);
    assert.deepEqual(
      [1, 2, 3, 4].map(() => limiter.when()),
      [0, 0, 100, 200],
    );
    clock.jump(300);
    assert.equal(limiter.when(), 0);
  });

  it('wait as long as the slowest asks for', () => {
    const limiter = new LongestOf(new ExponentialBackoff(1, 100), new ExponentialBackoff(3, 4));
    assert.deepEqual(
      [1, 2, 3, 4].map(() => limiter.when('a')),
      [3, 4, 4, 8],
    );
    assert.equal(limiter.numRequeues('a'), 4);
    limiter.forget('a');
    assert.equal(limiter.numRequeues('a'), 0);
  });

  it('are by default those of stock controllers: 5 ms to 1000 s each, 10 a second and 100 at once for all', () => {
    const limiter = defaultRateLimiter(new FakeClock());
    assert.equal(limiter.when('a'), 5);
    for (let i = 1; i < 100; i++) assert.equal(limiter.when(`k${i}`), 5);
    assert.equal(limiter.when('beyond'), 100);
  });
});
