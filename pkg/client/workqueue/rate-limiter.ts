import type { Clock } from '../../apimachinery/clock.ts';
import { TokenBucket, type BucketSize } from '../../apimachinery/collections/token-bucket.ts';
import { TransientMap } from '../../apimachinery/collections/transient-map.ts';

/** Decides how long a key that failed waits. */
export interface RateLimiter {
  /** Counts one more failure of the key; milliseconds that it is to wait. */
  when(key: string): number;
  /** The key's failures are over: it begins at the shortest wait again. */
  forget(key: string): void;
  numRequeues(key: string): number;
}

/**
 * Each failure of a key doubles its wait, from `baseMs` up to `maxMs`. Holds the keys that failed until they are
 * forgotten.
 */
export class ExponentialBackoff implements RateLimiter {
  private readonly baseMs: number;
  private readonly maxMs: number;
  private readonly failures = new TransientMap<number>();

  constructor(baseMs: number, maxMs: number) {
    this.baseMs = baseMs;
    this.maxMs = maxMs;
  }

  when(key: string): number {
    const failures = this.failures.get(key) ?? 0;
    this.failures.set(key, failures + 1);
    return Math.min(this.maxMs, this.baseMs * 2 ** failures);
  }

  forget(key: string): void {
    this.failures.delete(key);
  }

  numRequeues(key: string): number {
    return this.failures.get(key) ?? 0;
  }
}

/**
 * Bounds how often keys fail together, whatever their number: each takes a token, and waits until what is owed has
 * come back.
 */
export class OverallBucket implements RateLimiter {
  private readonly bucket: TokenBucket;

  constructor(size: BucketSize, clock: Clock) {
    this.bucket = new TokenBucket(size, () => clock.steadyMs());
  }

  when(): number {
    return this.bucket.spend(1);
  }

  forget(): void {}

  numRequeues(): number {
    return 0;
  }
}

/** The longest wait of several limiters. */
export class LongestOf implements RateLimiter {
  private readonly limiters: readonly RateLimiter[];

  constructor(...limiters: RateLimiter[]) {
    this.limiters = limiters;
  }

  when(key: string): number {
    return Math.max(...this.limiters.map((limiter) => limiter.when(key)));
  }

  forget(key: string): void {
    for (const limiter of this.limiters) limiter.forget(key);
  }

  numRequeues(key: string): number {
    return Math.max(...this.limiters.map((limiter) => limiter.numRequeues(key)));
  }
}

const BASE_MS = 5;
const MAX_MS = 1_000_000;
const OVERALL: BucketSize = { burst: 100, perSecond: 10 };

/** The limits of stock controllers. */
export function defaultRateLimiter(clock: Clock): RateLimiter {
  return new LongestOf(new ExponentialBackoff(BASE_MS, MAX_MS), new OverallBucket(OVERALL, clock));
}
