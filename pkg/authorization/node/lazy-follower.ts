import type { ApiObject } from '../../apimachinery/meta/object.ts';
import type { CachedObject } from '../../storage/cacher/cached-object.ts';
import type { ResourceCache } from '../../storage/cacher/resource-cache.ts';
import type { ObjectIndex } from '../follow-objects.ts';

/** Time that reading objects may take in one turn of the event loop, milliseconds. */
const TURN_MS = 5;

/**
 * Brings a resource's decoded objects to an index from the moment on at which somebody first asks: a server that no
 * node talks to decodes nothing for it. What is there by then is read in turns that leave room for others.
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

  /** Resolves when the index shows everything; undefined when it does already. */
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
      // Whoever waits for this round waits for the one that took its place.
      else return this.loading;
    });
    this.loading = loading;
  }

  private async read(round: number): Promise<void> {
    let turnEnds = performance.now() + TURN_MS;
    for (const object of this.cache.snapshot().values()) {
      // What has changed since the beginning came by itself.
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
