import type { Store, StoreEvent } from '../store.ts';
import type { ByteBudget } from './byte-budget.ts';
import type { ApiObject } from '../../apimachinery/meta/object.ts';
import type { CachedObject } from './cached-object.ts';
import { DeliveryTurns } from './delivery-turns.ts';
import { ReadBarrier } from './read-barrier.ts';
import { LoadingCache } from './loading-cache.ts';
import { newTree, ResourceCache, type CachedResource, type ObjectTree } from './resource-cache.ts';
import { RevisionWaiters } from './revision-waiters.ts';
import { Snapshots } from './snapshots.ts';
import { TimeSlice } from '../../apimachinery/time-slice.ts';

/**
 * The watch cache: every resource of a store in memory, kept at the store's revision by one ordered feed.
 *
 * Invariant: a `ResourceCache` shows exactly the state at `revision`, for all resources alike, at any point between two
 * turns. When the feed fails in a way that may have lost events, everything is loaded again and all watchers are ended.
 * The cacher writes nothing.
 */
export interface CacherOptions {
  readonly store: Store;
  readonly resources: readonly CachedResource[];
  /** Memory for decoded objects and encoded forms; may be one for several cachers. */
  readonly budget: ByteBudget;
  /** A watcher with more unsent bytes is ended. */
  readonly watcherBufferBytesMax?: number;
  /** How long chunked lists keep their snapshot, milliseconds. */
  readonly snapshotTtlMs?: number;
  /**
   * Bytes of objects that only chunked lists still hold; beyond them the oldest lists continue from the store's
   * history.
   */
  readonly snapshotBytesMax?: number;
  /** Longest wait of a consistent read for the feed, milliseconds. */
  readonly freshnessTimeoutMs?: number;
  /** Called with feed failures; the cacher recovers without help. */
  readonly onError?: (error: unknown) => void;
}

const defaultCacherOptions = {
  watcherBufferBytesMax: 4 * 1024 * 1024,
  snapshotTtlMs: 5 * 60_000,
  snapshotBytesMax: 64 * 1024 * 1024,
  freshnessTimeoutMs: 3000,
} as const;

const SNAPSHOTS_MAX = 256;
const RELOAD_DELAY_MS = 500;
/** Events of a resource that may wait for some of its watchers before the feed waits as well. */
const FAN_OUT_BACKLOG_MAX = 1000;
/** Keys read per page while loading. */
const LOAD_PAGE = 1000;

/** Called with a cache in the turn in which it is installed. */
type Installed = (cache: ResourceCache) => Promise<void> | void;

export class Cacher {
  readonly store: Store;
  readonly budget: ByteBudget;
  readonly snapshots: Snapshots;
  readonly freshnessTimeoutMs: number;
  private readonly caches: Map<string, ResourceCache>;
  private readonly byPath: Map<string, ResourceCache>;
  /** By path in the store: caches that are being loaded beside the feed. */
  private readonly loading = new Map<string, LoadingCache>();
  private readonly makeCache: (resource: CachedResource) => ResourceCache;
  private readonly barrier: ReadBarrier;
  private readonly waiters = new RevisionWaiters();
  private readonly onError: (error: unknown) => void;
  private feedRevision = 0;
  private loaded = false;
  /** From the failure of the feed until everything is loaded again: no cache is installed meanwhile. */
  private reloading = false;
  private stopped = false;
  private closeFeed: (() => void) | undefined;
  /**
   * Requests a progress notification from the store where a write elsewhere may have changed nothing that the feed
   * shows.
   */
  private requestProgress: (() => void) | undefined;
  private running: Promise<void> | undefined;

  constructor(options: CacherOptions) {
    this.store = options.store;
    this.budget = options.budget;
    this.snapshots = new Snapshots({
      ttlMs: options.snapshotTtlMs ?? defaultCacherOptions.snapshotTtlMs,
      countMax: SNAPSHOTS_MAX,
      bytesMax: options.snapshotBytesMax ?? defaultCacherOptions.snapshotBytesMax,
    });
    this.freshnessTimeoutMs = options.freshnessTimeoutMs ?? defaultCacherOptions.freshnessTimeoutMs;
    this.onError = options.onError ?? (() => undefined);
    this.barrier = new ReadBarrier(() => this.store.currentRevision());
    const bufferMax = options.watcherBufferBytesMax ?? defaultCacherOptions.watcherBufferBytesMax;
    const turns = new DeliveryTurns();
    this.makeCache = (resource) =>
      new ResourceCache(
        resource,
        this.budget,
        turns,
        bufferMax,
        (cache, object) => this.snapshots.replaced(cache.prefix, object),
        this.onError,
      );
    const caches = options.resources.map(this.makeCache);
    this.caches = new Map(caches.map((c) => [c.resource.name, c]));
    this.byPath = new Map(caches.map((c) => [c.resource.storagePath, c]));
  }

  /** Loads everything and starts the feed; rejects when the first load fails. */
  async start(): Promise<void> {
    await this.load();
    this.running = this.run();
  }

  async stop(): Promise<void> {
    this.stopped = true;
    this.waiters.abandon();
    this.closeFeed?.();
    await this.running;
    this.snapshots.clear();
  }

  /** False while the state is not known to be complete. */
  get ready(): boolean {
    return this.loaded;
  }

  /** The revision that all caches show. */
  get revision(): number {
    return this.feedRevision;
  }

  /**
   * Loads one more resource beside the running feed; a cache of another form of it at the same path is closed.
   * `installed` runs in the turn in which the cache is installed, and may throw to leave everything unchanged; the
   * other cache is closed when the promise of `installed` has resolved.
   */
  async add(resource: CachedResource, installed: Installed = () => undefined): Promise<void> {
    const { name, storagePath } = resource;
    if (this.loading.has(storagePath)) throw new Error(`${name} is being loaded already`);
    const loading = new LoadingCache(() => this.makeCache(resource), this.store, {
      reached: (revision) => this.reached(revision),
      caughtUp: () => this.caughtUp(),
      isBehind: () => this.isBehind,
      isStopped: () => this.stopped,
    });
    this.loading.set(storagePath, loading);
    let replaced: { previous: ResourceCache | undefined; cache: ResourceCache; done: Promise<void> | void } | undefined;
    try {
      await loading.load((cache) => {
        const previous = this.byPath.get(storagePath);
        this.install(cache);
        try {
          replaced = { previous, cache, done: installed(cache) };
        } catch (error) {
          if (previous === undefined) this.uninstall(cache);
          else this.install(previous);
          throw error;
        }
        this.snapshots.drop(cache.prefix);
      });
    } finally {
      this.loading.delete(storagePath);
    }
    await replaced?.done;
    await replaced?.previous?.close(replaced.cache);
  }

  /** Ends the watchers of a resource and forgets its objects. */
  async remove(resourceName: string): Promise<void> {
    const cache = this.cache(resourceName);
    this.uninstall(cache);
    this.snapshots.drop(cache.prefix);
    await cache.close();
  }

  private install(cache: ResourceCache): void {
    this.caches.set(cache.resource.name, cache);
    this.byPath.set(cache.resource.storagePath, cache);
  }

  private uninstall(cache: ResourceCache): void {
    this.caches.delete(cache.resource.name);
    this.byPath.delete(cache.resource.storagePath);
  }

  cache(resourceName: string): ResourceCache {
    const cache = this.caches.get(resourceName);
    if (cache === undefined) throw new Error(`no cache for ${resourceName}`);
    return cache;
  }

  allCaches(): Iterable<ResourceCache> {
    return this.caches.values();
  }

  /**
   * True when the caches are now as new as every write acknowledged before the call; false: read from the store
   * instead.
   */
  async fresh(): Promise<boolean> {
    const revision = await this.barrier.revision();
    return this.reached(revision);
  }

  /** A revision at or above every write acknowledged before the call. */
  barrierRevision(): Promise<number> {
    return this.barrier.revision();
  }

  /** Waits until the caches show `revision`; false after the freshness timeout. */
  async reached(revision: number, timeoutMs: number = this.freshnessTimeoutMs): Promise<boolean> {
    if (this.loaded && this.feedRevision >= revision) return true;
    this.requestProgress?.();
    return this.waiters.wait(revision, timeoutMs);
  }

  /** The caches may lack changes. */
  private get isBehind(): boolean {
    return this.stopped || !this.loaded || this.reloading;
  }

  /** False where everything is still being loaded again after the freshness timeout. */
  private async caughtUp(): Promise<boolean> {
    if (this.isBehind && !this.stopped) await this.waiters.wait(0, this.freshnessTimeoutMs);
    return !this.isBehind;
  }

  private async run(): Promise<void> {
    while (!this.stopped) {
      try {
        await this.follow();
      } catch (error) {
        if (this.stopped) return;
        this.loaded = false;
        this.onError(error);
      }
      await this.reload();
    }
  }

  /** Applies the feed until it ends or fails. */
  private async follow(): Promise<void> {
    const stream = this.store.watch('', this.feedRevision);
    this.closeFeed = () => stream.close();
    this.requestProgress = () => stream.requestProgress?.();
    try {
      for await (const batch of stream) {
        await this.apply(batch.events);
        if (batch.revision > this.feedRevision) this.feedRevision = batch.revision;
        this.waiters.reached(this.feedRevision);
        await this.spareWatchers();
      }
    } finally {
      this.requestProgress = undefined;
      stream.close();
    }
  }

  /** A batch may be long: yields between two revisions, never within one. */
  private async apply(events: readonly StoreEvent[]): Promise<void> {
    const slice = new TimeSlice();
    for (const [i, event] of events.entries()) {
      routeByPath(this.byPath, event.key)?.apply(event);
      if (this.loading.size > 0) routeByPath(this.loading, event.key)?.receive(event);
      const next = events[i + 1];
      if ((i & 15) !== 15 || next === undefined || next.revision === event.revision || !slice.over) continue;
      this.feedRevision = event.revision;
      this.waiters.reached(this.feedRevision);
      // Not in line with lists, which wait for their turns: the feed continues in the very next turn.
      await new Promise(setImmediate);
    }
  }

  /** Waits where events come faster than they can be sent to all watchers, so that they do not pile up. */
  private async spareWatchers(): Promise<void> {
    for (const cache of this.caches.values()) if (cache.fanOutBacklog > FAN_OUT_BACKLOG_MAX) await cache.fannedOut();
  }

  private async reload(): Promise<void> {
    while (!this.stopped) {
      try {
        await this.load();
        return;
      } catch (error) {
        this.onError(error);
        await new Promise((resolve) => setTimeout(resolve, RELOAD_DELAY_MS));
      }
    }
  }

  private async load(): Promise<void> {
    this.reloading = true;
    const trees = new Map<ResourceCache, ObjectTree>();
    for (const cache of this.caches.values()) trees.set(cache, newTree());
    let revision: number | undefined;
    let after: string | undefined;
    for (;;) {
      const page = await this.store.range('', {
        limit: LOAD_PAGE,
        ...(revision === undefined ? {} : { revision }),
        ...(after === undefined ? {} : { after }),
      });
      revision ??= page.revision;
      for (const item of page.items) {
        const cache = routeByPath(this.byPath, item.key);
        if (cache !== undefined)
          trees.get(cache)?.set(item.key, cache.makeObject(item.key, item.value, item.modRevision));
      }
      if (!page.more) break;
      after = page.items.at(-1)!.key;
    }
    for (const [cache, tree] of trees) if (!cache.closed) cache.reset(tree, revision);
    this.snapshots.clear();
    this.feedRevision = revision;
    this.loaded = true;
    this.reloading = false;
    for (const loading of this.loading.values()) loading.restart();
    this.waiters.reached(revision);
  }
}

/** The resource of a store key: its path is the key's first segment, or its first two. */
function routeByPath<T>(byPath: ReadonlyMap<string, T>, key: StoreEvent['key']): T | undefined {
  const first = key.indexOf('/');
  if (first < 0) return undefined;
  const found = byPath.get(key.slice(0, first));
  if (found !== undefined) return found;
  const second = key.indexOf('/', first + 1);
  return second < 0 ? undefined : byPath.get(key.slice(0, second));
}

/** An object read from the store itself, past the cache. */
export async function readThrough<T extends ApiObject>(
  cacher: Cacher,
  cache: ResourceCache<T>,
  key: string,
  revision?: number,
): Promise<CachedObject<T> | undefined> {
  const found = await cacher.store.get(key, revision === undefined ? {} : { revision });
  return found === undefined ? undefined : cache.makeTransient(key, found.value, found.modRevision);
}
