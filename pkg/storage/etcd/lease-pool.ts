/**
 * Leases for keys with a lifetime. Keys that are written within a time window share one lease, so that thousands of
 * events do not mean thousands of leases: the lease is granted a little longer than requested, and is used as long as
 * its remaining time covers the lifetime.
 */

const windowShareOfTtl = 0.05;
const windowSecondsMax = 60;
const keysPerLeaseMax = 1000;

export interface LeasePoolOptions {
  /** Grants a lease of so many seconds and resolves with its id. */
  readonly grant: (ttlSeconds: number) => Promise<string>;
  /** Milliseconds of a clock that never goes back. */
  readonly now: () => number;
  /** Called with the number of keys that share a lease when another one replaces it. */
  readonly onReplaced?: ((keys: number) => void) | undefined;
}

interface SharedLease {
  readonly id: Promise<string>;
  /** Keys may use the lease until then. */
  readonly usableUntil: number;
  keys: number;
}

export class LeasePool {
  readonly #options: LeasePoolOptions;
  readonly #byTtl = new Map<number, SharedLease>();

  constructor(options: LeasePoolOptions) {
    this.#options = options;
  }

  /** The id of a lease that lives at least `ttlSeconds` from now. */
  async lease(ttlSeconds: number): Promise<string> {
    const now = this.#options.now();
    const shared = this.#byTtl.get(ttlSeconds);
    if (shared !== undefined && now <= shared.usableUntil && shared.keys < keysPerLeaseMax) {
      shared.keys++;
      return shared.id;
    }
    if (shared !== undefined) this.#options.onReplaced?.(shared.keys);
    const windowSeconds = Math.min(windowSecondsMax, Math.floor(ttlSeconds * windowShareOfTtl));
    const fresh: SharedLease = {
      id: this.#options.grant(ttlSeconds + windowSeconds),
      usableUntil: now + windowSeconds * 1000,
      keys: 1,
    };
    this.#byTtl.set(ttlSeconds, fresh);
    try {
      return await fresh.id;
    } catch (error) {
      this.#forget(ttlSeconds, fresh);
      throw error;
    }
  }

  /** Stops using a lease that the store no longer knows. */
  drop(id: string): void {
    for (const [ttlSeconds, shared] of this.#byTtl) {
      void shared.id.then(
        (sharedId) => sharedId === id && this.#forget(ttlSeconds, shared),
        () => undefined,
      );
    }
  }

  #forget(ttlSeconds: number, shared: SharedLease): void {
    if (this.#byTtl.get(ttlSeconds) === shared) this.#byTtl.delete(ttlSeconds);
  }
}
