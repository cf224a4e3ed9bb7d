import type { ApiObject } from '../../apimachinery/meta/object.ts';
import type { CachedObject } from '../../storage/cacher/cached-object.ts';
import type { ResourceCache } from '../../storage/cacher/resource-cache.ts';
import type { ObjectIndex } from '../follow-objects.ts';

/** Time that reading objects may take in one turn of the event loop, milliseconds. */
const TURN_MS = 5;

/**
 * Brings a resource's decoded objects to an index from its first use on: a server without nodes decodes nothing for it.
 * Objects that exist by then are read in slices that leave time for other work.
 */
export class LazyFollower<T extends ApiObject> {
  private readonly cache: ResourceCache<T>;
  private readonly index: ObjectIndex<T>;
  private readonly onError: (error: unknown) => void;
  private started = false;
  private loading: Promise<void> | undefined;
  /** Counts loads: a newer one ends those before it. */
  private round = 0;

  constructor(cache: ResourceCache<T>, index: ObjectIndex<T>, onError: (error: unknown) => void) {
    this.cache = cache;
    this.index = index;
    this.onError = onError;
    cache.listen({
      reset: () => {
        if (this.started) this.load();
      },
      changed: (object, removed) => {
        if (!this.started) return;
        if (removed) index.remove(object.key);
        else this.put(object, () => object.object());
      },
    });
  }

  /** Resolves when the index is complete; undefined when it already is. */
  ready(): Promise<void> | undefined {
    if (!this.started) {
      this.started = true;
      this.load();
    }
    return this.loading;
  }

  private load(): void {
    const round = ++this.round;
    this.index.clear();
    const loading = this.read(round).then(() => {
      if (round === this.round) this.loading = undefined;
      // Callers that wait for this round wait for its successor.
      else return this.loading;
    });
    this.loading = loading;
  }

  private async read(round: number): Promise<void> {
    let turnEnds = performance.now() + TURN_MS;
    for (const object of this.cache.snapshot().values()) {
      // Changes since the beginning arrived separately.
      if (this.cache.get(object.key) === object) this.put(object, () => object.privateObject());
      if (performance.now() < turnEnds) continue;
      await new Promise(setImmediate);
      if (round !== this.round) return;
      turnEnds = performance.now() + TURN_MS;
    }
  }

  private put(object: CachedObject<T>, decode: () => T): void {
    try {
      this.index.put(object.key, decode());
    } catch (error) {
      this.onError(error);
      this.index.remove(object.key);
    }
  }
}
