import { CompactedError } from '../store-errors.ts';
import type { Store, StoreEvent } from '../store.ts';
import type { ResourceCache } from './resource-cache.ts';
import { TimeSlice } from '../../apimachinery/time-slice.ts';

/** Keys read per page. */
const LOAD_PAGE = 1000;
/** Bytes of the changes kept while a cache is loaded; beyond them the load starts again. */
const CHANGES_BYTES_MAX = 64 * 1024 * 1024;
/** Attempts before a load is given up: the resource changes faster than it can be read, or the store fails. */
const ATTEMPTS_MAX = 10;
/** Changes applied between two readings of the clock. */
const CHANGES_PER_LOOK = 64;

/** What a load needs of the cacher's feed. */
export interface Feed {
  /** Waits until the feed has reached a revision; false after a timeout. */
  reached(revision: number): Promise<boolean>;
  /** Waits while the feed is behind; false after a timeout. */
  caughtUp(): Promise<boolean>;
  /** Its caches may lack changes at present: it is stopped, or loads them again. */
  isBehind(): boolean;
  isStopped(): boolean;
}

/**
 * The cache of one more resource, loaded beside the running feed: changes that the feed delivers meanwhile are kept and
 * applied to the state that was read, so that the cache is installed at the feed's revision. The feed never waits for
 * it.
 */
export class LoadingCache {
  private readonly make: () => ResourceCache;
  private readonly store: Store;
  private readonly feed: Feed;
  private readonly changesBytesMax: number;
  private changes: StoreEvent[] = [];
  private bytes = 0;
  private isVoid = false;

  constructor(make: () => ResourceCache, store: Store, feed: Feed, changesBytesMax = CHANGES_BYTES_MAX) {
    this.make = make;
    this.store = store;
    this.feed = feed;
    this.changesBytesMax = changesBytesMax;
  }

  /** A change to the resource, in the feed's order. */
  receive(change: StoreEvent): void {
    if (this.isVoid) return;
    this.changes.push(change);
    this.bytes += (change.value?.length ?? 0) + (change.previous?.value.length ?? 0);
    if (this.bytes > this.changesBytesMax) this.restart();
  }

  /** Changes may have been missed: discard what was read so far. */
  restart(): void {
    this.isVoid = true;
    this.changes = [];
    this.bytes = 0;
  }

  /**
   * Calls `install` with the loaded cache, in a turn in which it shows all that the feed has brought. Rejects when the
   * store cannot be read, or when the feed stops.
   */
  async load(install: (cache: ResourceCache) => void): Promise<void> {
    for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
      const isFollowing = await this.feed.caughtUp();
      if (this.feed.isStopped()) throw new Error('the cacher is stopped');
      if (!isFollowing) continue;
      this.restart();
      this.isVoid = false;
      const cache = this.make();
      const revision = await this.read(cache);
      if (revision === undefined) continue;
      if (!(await this.feed.reached(revision))) continue;
      if (await this.catchUp(cache, revision, install)) return;
    }
    throw new Error(`the cache of ${this.make().resource.name} could not be loaded`);
  }

  /** Reads all objects at one revision, which it returns; undefined when that revision was compacted meanwhile. */
  private async read(cache: ResourceCache): Promise<number | undefined> {
    let revision: number | undefined;
    let after: string | undefined;
    try {
      for (;;) {
        const page = await this.store.range(cache.prefix, {
          limit: LOAD_PAGE,
          ...(revision === undefined ? {} : { revision }),
          ...(after === undefined ? {} : { after }),
        });
        revision ??= page.revision;
        for (const { key, value, modRevision } of page.items) cache.load(key, value, modRevision);
        if (!page.more) break;
        after = page.items.at(-1)!.key;
      }
    } catch (error) {
      if (error instanceof CompactedError) return undefined;
      throw error;
    }
    cache.startAt(revision);
    return revision;
  }

  /** Applies what the feed delivered after `revision`; installs when nothing is left. False: start again. */
  private async catchUp(
    cache: ResourceCache,
    revision: number,
    install: (cache: ResourceCache) => void,
  ): Promise<boolean> {
    const slice = new TimeSlice();
    let applied = 0;
    while (!this.isVoid && this.changes.length > 0) {
      const changes = this.changes;
      this.changes = [];
      this.bytes = 0;
      for (const change of changes) {
        if (change.revision > revision) cache.apply(change);
        if (++applied % CHANGES_PER_LOOK === 0 && slice.over) await slice.next();
        if (this.isVoid) return false;
      }
    }
    if (this.isVoid || this.feed.isBehind()) return false;
    install(cache);
    return true;
  }
}
