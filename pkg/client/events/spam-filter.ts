import { BoundedCache } from '../../apimachinery/collections/bounded-cache.ts';
import type { Clock } from '../../apimachinery/clock.ts';
import { TokenBucket, type BucketSize } from '../../apimachinery/collections/token-bucket.ts';
import type { Event } from '../../generated/types/core-v1.ts';

const CACHE_MAX = 4096;
/** Of one component about one object: 25 at once, then one every five minutes. */
const SIZE: BucketSize = { burst: 25, perSecond: 1 / 300 };

/** Bounds how much one component writes about one object. */
export class SpamFilter {
  private readonly clock: Clock;
  private readonly buckets = new BoundedCache<TokenBucket>(CACHE_MAX);

  constructor(clock: Clock) {
    this.clock = clock;
  }

  admits({ source, involvedObject: object }: Event): boolean {
    const key = JSON.stringify([
      source.component,
      source.host,
      object.kind,
      object.namespace,
      object.name,
      object.uid,
      object.apiVersion,
    ]);
    let bucket = this.buckets.get(key);
    if (bucket === undefined) {
      bucket = new TokenBucket(SIZE, () => this.clock.steadyMs());
      this.buckets.set(key, bucket);
    }
    return bucket.take() === 0;
  }
}
