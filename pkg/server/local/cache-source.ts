import { sleep, type Clock } from '../../apimachinery/clock.ts';
import { genericServerResponse } from '../../apimachinery/errors/status-error.ts';
import type { ApiObject } from '../../apimachinery/meta/object.ts';
import { TimeSlice } from '../../apimachinery/time-slice.ts';
import { fromHub, type VersionedResource } from '../../api/scheme.ts';
import { Backoff } from '../../client/informer/backoff.ts';
import { DerivedObject, type ObjectHandle } from '../../client/informer/object-handle.ts';
import type { ObjectSink, ObjectSource } from '../../client/informer/object-source.ts';
import type { Selection } from '../../client/rest/client.ts';
import { partialMetadata } from '../../client/rest/partial-metadata.ts';
import type { ResourceStore } from '../../registry/resource-store.ts';
import type { CachedObject } from '../../storage/cacher/cached-object.ts';
import { scopeEnd } from '../../storage/cacher/list-objects.ts';
import { parseSelection } from '../request/selectors.ts';

/** The target of a cache source: a resource in one version, and its store. */
export interface FollowedResource {
  readonly version: VersionedResource;
  readonly store: ResourceStore;
}

export interface CacheSourceParts {
  /** Undefined where the resource is not served at present. */
  readonly find: () => FollowedResource | undefined;
  /** Calls `changed` when another resource is served than before, until the returned function is called. */
  readonly listen: (changed: () => void) => () => void;
  /** Rejects where the user may not list and watch the selection. */
  readonly authorize: () => Promise<void>;
  /** Handles give the metadata alone. */
  readonly metadataOnly?: boolean;
  readonly report: (error: unknown) => void;
  readonly clock: Clock;
  readonly random: () => number;
}

/** Interval of retries for caches that are not loaded. */
const LOAD_WAIT_MS = 5000;

/**
 * Feeds an informer in the server's own process from the caches, with the cached objects as they are: what an informer
 * adds for an object is its place in a map. Objects of another version than the hub's are converted when they are read.
 *
 * Permission is looked at once, at the start; what is refused, or not there, is reported and tried again as a reflector
 * does, and at once when what is served changes. A resource that is removed has no objects.
 */
export class CacheSource<T extends ApiObject> implements ObjectSource<T> {
  private readonly selection: Selection;
  private readonly parts: CacheSourceParts;
  private followed: ResourceStore | undefined;

  constructor(selection: Selection, parts: CacheSourceParts) {
    this.selection = selection;
    this.parts = parts;
  }

  get lastSyncResourceVersion(): string {
    return this.followed === undefined ? '' : String(this.followed.cacher.revision);
  }

  async run(sink: ObjectSink<T>, signal: AbortSignal): Promise<void> {
    const { clock, random, report } = this.parts;
    const backoff = new Backoff(clock, random);
    while (!signal.aborted) {
      try {
        await this.parts.authorize();
        await this.follow(sink, signal);
      } catch (error) {
        if (signal.aborted) return;
        report(error);
        await this.pause(backoff.next(), signal);
      }
    }
  }

  /** Waits, but no longer than until another resource is served. */
  private async pause(delayMs: number, signal: AbortSignal): Promise<void> {
    const ending = new AbortController();
    const end = (): void => ending.abort();
    const stop = this.parts.listen(end);
    signal.addEventListener('abort', end, { once: true });
    if (!signal.aborted) await sleep(this.parts.clock, delayMs, ending.signal);
    signal.removeEventListener('abort', end);
    stop();
  }

  /** Follows the cache until it is closed, or the signal ends it. */
  private async follow(sink: ObjectSink<T>, signal: AbortSignal): Promise<void> {
    const found = this.parts.find();
    if (found === undefined) {
      if (this.followed !== undefined) await sink.replace([]);
      this.followed = undefined;
      throw genericServerResponse(404);
    }
    const { version, store } = found;
    const { namespace = '', labelSelector = '', fieldSelector = '' } = this.selection;
    const { matches } = parseSelection(version.definition, labelSelector, fieldSelector, '');
    while (!(await store.cacher.reached(0, LOAD_WAIT_MS))) if (signal.aborted) return;
    const selected = new SelectedObjects<T>(version, store.scopeOf(namespace), matches, this.parts);
    let replacing = Promise.resolve();
    const replace = (): void => {
      replacing = sink.replace(selected.of(store, signal)).then(() => {
        if (!signal.aborted) this.followed = store;
      }, this.parts.report);
    };
    const ending = new AbortController();
    const end = (): void => ending.abort();
    const stop = store.cache.listen({
      closed: end,
      reset: replace,
      changed: (object, removed, previous) => selected.change(object, removed, previous, sink),
    });
    if (store.cache.size === 0) replace();
    signal.addEventListener('abort', end, { once: true });
    if (!signal.aborted && !store.cache.closed) await aborted(ending.signal);
    signal.removeEventListener('abort', end);
    stop();
    await replacing;
  }
}

/** The objects of a cache in a selection, as handles in the requested version. */
class SelectedObjects<T extends ApiObject> {
  private readonly version: VersionedResource;
  private readonly scope: string;
  private readonly matches: ((object: CachedObject) => boolean) | undefined;
  private readonly report: (error: unknown) => void;
  private readonly metadataOnly: boolean;

  constructor(
    version: VersionedResource,
    scope: string,
    matches: ((object: CachedObject) => boolean) | undefined,
    { report, metadataOnly = false }: Pick<CacheSourceParts, 'report' | 'metadataOnly'>,
  ) {
    this.version = version;
    this.scope = scope;
    this.matches = matches;
    this.report = report;
    this.metadataOnly = metadataOnly;
  }

  /** The present objects, visited in slices of time. */
  of(store: ResourceStore, signal: AbortSignal): AsyncIterable<ObjectHandle<T>> {
    // The clone is made now: later changes arrive as changes.
    return this.iterate(store.cache.snapshot().entries(this.scope), signal);
  }

  private async *iterate(
    entries: Iterable<[string, CachedObject]>,
    signal: AbortSignal,
  ): AsyncGenerator<ObjectHandle<T>, void> {
    const end = scopeEnd(this.scope);
    const slice = new TimeSlice();
    for (const [key, object] of entries) {
      if (key >= end || signal.aborted) return;
      if (this.selects(object)) yield this.handle(object);
      if (slice.over) await slice.next();
    }
  }

  /** Leaving the selection is a deletion, as in a watch. */
  change(object: CachedObject, removed: boolean, previous: CachedObject | undefined, sink: ObjectSink<T>): void {
    if (!object.key.startsWith(this.scope)) return;
    if (removed) sink.remove(this.handle(object));
    else if (this.selects(object)) sink.put(this.handle(object));
    else if (previous !== undefined) sink.remove(this.handle(previous.atRevision(object.revision)));
  }

  /** An object that cannot be decoded matches no selector on its content. */
  private selects(object: CachedObject): boolean {
    try {
      return this.matches === undefined || this.matches(object);
    } catch (error) {
      this.report(error);
      return false;
    }
  }

  private handle(object: CachedObject): ObjectHandle<T> {
    const { definition, groupVersion } = this.version;
    if (this.metadataOnly) return new DerivedObject(object, (hub) => partialMetadata(hub) as ApiObject as T);
    // The cache's decoded objects are of the hub version, whose shape `T` is.
    if (groupVersion === definition.hub) return object as ObjectHandle as ObjectHandle<T>;
    return new DerivedObject(object, (hub) => fromHub(this.version, hub) as T);
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
