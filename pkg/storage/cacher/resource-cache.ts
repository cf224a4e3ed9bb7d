import BTreeModule from 'sorted-btree';
import type { ApiObject } from '../../apimachinery/meta/object.ts';
import { TransientMap } from '../../apimachinery/collections/transient-map.ts';
import type { ByteBudget } from './byte-budget.ts';
import { CacheStats } from './cache-stats.ts';
import type { ChangeListener } from './change-listener.ts';
import { CachedObject, type ObjectFormat } from './cached-object.ts';
import type { DeliveryTurns } from './delivery-turns.ts';
import { CachedEvent, EventRing } from './event-ring.ts';
import { FanOut } from './fan-out.ts';
import type { StoreEvent } from '../store.ts';
import { TimeSlice } from '../../apimachinery/time-slice.ts';
import { WatchGroup, type GroupOptions, type WatchFormat, type WatchSelection, type WatchSink } from './watch-group.ts';

// The package is CommonJS: Node gives its exports as the default import, loaders that look at __esModule give the class
// itself.
const BTree = (BTreeModule.default ?? BTreeModule) as typeof BTreeModule.default;
export type ObjectTree<T extends ApiObject = ApiObject> = InstanceType<typeof BTree<string, CachedObject<T>>>;

/** What the cacher needs about a resource. */
export interface CachedResource {
  /** Identity and metric label, `deployments.apps`. */
  readonly name: string;
  /** Path below the store's prefix, `services/specs`. */
  readonly storagePath: string;
  readonly namespaced: boolean;
  readonly format: ObjectFormat;
  /**
   * Events kept for watches from a past revision, more while events come fast; 0: such watches read the store's
   * history.
   */
  readonly ringSize: number;
}

/** A write of this process that the store has not answered yet. */
export interface PendingWrite<T extends ApiObject = ApiObject> {
  readonly value: Uint8Array;
  readonly object: T;
}

const WRITTEN_MAX = 10_000;

/** Objects of a closed cache that are released between two readings of the clock. */
const RETIRED_PER_LOOK = 256;

/** Namespaces for which the number of watchers is cached at a time. */
const WATCHER_COUNTS_MAX = 1024;

/**
 * The objects of one resource at the feed's revision, its newest changes, and its watchers. Only the feed changes it.
 */
export class ResourceCache<T extends ApiObject = ApiObject> {
  readonly resource: CachedResource;
  /** Store key prefix with a closing slash, `pods/`. */
  readonly prefix: string;
  readonly stats = new CacheStats();
  private readonly budget: ByteBudget;
  /** Called with each object that leaves the cache. */
  private readonly onReplaced: (cache: ResourceCache, object: CachedObject) => void;
  private readonly groupOptions: GroupOptions;
  /** In the order of their keys: what lists are read from. */
  private tree: ObjectTree<T> = new BTree<string, CachedObject<T>>();
  /** The same objects for lookups by key: the search in the tree took 4 µs of a get. */
  private byKey = new Map<string, CachedObject<T>>();
  private ring: EventRing;
  private readonly watchers: FanOut;
  /** By namespace, until a watcher is added or removed. */
  private readonly watcherCounts = new Map<string, number>();
  /** Objects that this process has stored and whose events are still to come. */
  private readonly written = new TransientMap<CachedObject<T>>();
  /** Revisions of removals by this process whose events are still to come. */
  private readonly removals = new TransientMap<number>();
  private readonly pendingWrites = new TransientMap<PendingWrite<T>>();
  private listeners: readonly ChangeListener<T>[] = [];
  private isClosed = false;
  /** What listeners continue with. */
  private successor: ResourceCache<T> | undefined;

  constructor(
    resource: CachedResource,
    budget: ByteBudget,
    turns: DeliveryTurns,
    bufferedBytesMax: number,
    onReplaced: (cache: ResourceCache, object: CachedObject) => void = () => undefined,
    onError: (error: unknown) => void = () => undefined,
  ) {
    this.resource = resource;
    this.prefix = `${resource.storagePath}/`;
    this.budget = budget;
    this.onReplaced = onReplaced;
    this.groupOptions = {
      turns,
      bufferedBytesMax,
      onDelivered: (bytes, watchers) => this.stats.delivered(bytes, watchers),
    };
    this.ring = new EventRing({ size: resource.ringSize }, 0);
    this.watchers = new FanOut(
      (event) => this.scopesOf(event),
      (error, { object, revision }) =>
        onError(new Error(`watchers of ${object.key} ended at revision ${revision}`, { cause: error })),
    );
  }

  get size(): number {
    return this.tree.size;
  }

  /** Changes that are kept at present before the oldest goes. */
  get ringCapacity(): number {
    return this.ring.capacity;
  }

  get(key: string): CachedObject<T> | undefined {
    return this.byKey.get(key);
  }

  /** Like `get`, but sees this process's own writes before their events arrive. */
  newest(key: string): CachedObject<T> | undefined {
    const written = this.written.get(key);
    const current = this.byKey.get(key);
    const isAhead = written !== undefined && (current === undefined || written.revision > current.revision);
    const newest = isAhead ? written : current;
    if (newest === undefined || this.removals.size === 0) return newest;
    return newest.revision < (this.removals.get(key) ?? 0) ? undefined : newest;
  }

  /** A clone that later changes do not touch. */
  snapshot(): ObjectTree<T> {
    return this.tree.clone();
  }

  /** An object as the store holds it, on its way into the cache. */
  makeObject(key: string, value: Uint8Array, revision: number): CachedObject<T> {
    return this.objectWithin(this.budget, key, value, revision);
  }

  /** An object that the cache will not hold: a past state, or one that is stored nowhere. */
  makeTransient(key: string, value: Uint8Array, revision: number): CachedObject<T> {
    return this.objectWithin(this.budget.passing, key, value, revision);
  }

  private objectWithin(budget: ByteBudget, key: string, value: Uint8Array, revision: number): CachedObject<T> {
    const path = key.slice(this.prefix.length);
    const slash = this.resource.namespaced ? path.indexOf('/') : -1;
    return new CachedObject<T>(
      key,
      slash < 0 ? '' : path.slice(0, slash),
      path.slice(slash + 1),
      revision,
      value,
      this.resource.format,
      budget,
    );
  }

  /**
   * Announces what a write of this process is about to store, so that its event, which may come before the write's own
   * answer, costs no decoding. The event takes `object` over when it brings these very bytes. Of several writes of one
   * key the last one added counts; the others, which may be the ones that succeed, are decoded like writes of other
   * processes.
   */
  addPendingWrite(key: string, value: Uint8Array, object: T): PendingWrite<T> {
    const pending = { value, object };
    this.pendingWrites.set(key, pending);
    return pending;
  }

  /** The pending write failed. */
  dropPendingWrite(key: string, pending: PendingWrite<T>): void {
    if (this.pendingWrites.get(key) === pending) this.pendingWrites.delete(key);
  }

  /**
   * The pending write was stored at `revision`: its object, from the feed or ahead of it; undefined where the cache
   * does not know it.
   */
  completePendingWrite(key: string, pending: PendingWrite<T>, revision: number): CachedObject<T> | undefined {
    const current = this.byKey.get(key);
    if (current !== undefined && current.revision >= revision)
      return current.revision === revision ? current : undefined;
    if (this.pendingWrites.get(key) !== pending) return undefined;
    this.pendingWrites.delete(key);
    const object = this.objectOf(key, pending, revision);
    // An entry whose event never comes (the feed was lost) must not stay forever.
    if (this.written.size >= WRITTEN_MAX) this.written.clear();
    this.written.set(key, object);
    return object;
  }

  /**
   * This process removed the key at `revision`, which the feed has not reached: `newest` no longer shows what was there
   * before.
   */
  removed(key: string, revision: number): void {
    if (this.removals.size >= WRITTEN_MAX) this.removals.clear();
    this.removals.set(key, revision);
  }

  private objectOf(key: string, pending: PendingWrite<T>, revision: number): CachedObject<T> {
    pending.object.metadata.resourceVersion = String(revision);
    const object = this.makeObject(key, pending.value, revision);
    object.keepObject(pending.object);
    return object;
  }

  /**
   * Replaces everything; `revision` is that of the load. Watchers are ended: the events that they missed are unknown.
   */
  reset(tree: ObjectTree<T>, revision: number): void {
    this.stats.loads++;
    for (const object of this.byKey.values()) object.retire();
    this.tree = tree;
    this.byKey = new Map(tree.entries());
    this.ring = new EventRing({ size: this.resource.ringSize }, revision);
    this.written.clear();
    this.pendingWrites.clear();
    for (const key of this.removals.keys()) if (this.removals.get(key)! <= revision) this.removals.delete(key);
    this.watchers.reset();
    this.watcherCounts.clear();
    for (const listener of this.listeners) listener.reset(this.tree.values());
  }

  /** Adds an object of a load, before the cache is visible. */
  load(key: string, value: Uint8Array, revision: number): void {
    const object = this.makeObject(key, value, revision);
    this.tree.set(key, object);
    this.byKey.set(key, object);
  }

  /** The load is complete, and shows `revision`. */
  startAt(revision: number): void {
    this.stats.loads++;
    this.ring = new EventRing({ size: this.resource.ringSize }, revision);
  }

  /** The resource is no longer served from here: nothing changes any more, and new watches are refused. */
  get closed(): boolean {
    return this.isClosed;
  }

  /**
   * Ends all watchers at once and gives back what the budget counts, in slices. Requests that still hold the cache see
   * its last state. Listeners that do not end with the cache go on with `successor`; without one they learn that
   * nothing is left.
   */
  async close(successor?: ResourceCache<T>): Promise<void> {
    this.isClosed = true;
    this.successor = successor;
    this.watchers.reset();
    this.watcherCounts.clear();
    for (const listener of this.listeners) {
      if (listener.closed !== undefined) listener.closed();
      else if (successor === undefined) listener.reset([]);
      else successor.follow(listener);
    }
    this.listeners = [];
    const slice = new TimeSlice();
    let retired = 0;
    for (const object of this.byKey.values()) {
      object.retire();
      if (++retired % RETIRED_PER_LOOK === 0 && slice.over) await slice.next();
    }
  }

  private unlisten(listener: ChangeListener<T>): void {
    this.listeners = this.listeners.filter((other) => other !== listener);
    this.successor?.unlisten(listener);
  }

  private follow(listener: ChangeListener<T>): void {
    this.listeners = [...this.listeners, listener];
    listener.reset(this.tree.values());
  }

  /** Adds a listener until the returned function is called; it first gets everything that exists already. */
  listen(listener: ChangeListener<T>): () => void {
    this.listeners = [...this.listeners, listener];
    if (this.tree.size > 0) listener.reset(this.tree.values());
    return () => this.unlisten(listener);
  }

  get listenerCount(): number {
    return this.listeners.length;
  }

  apply(change: StoreEvent): void {
    if (this.removals.size > 0 && change.revision >= (this.removals.get(change.key) ?? Infinity))
      this.removals.delete(change.key);
    const previous = this.byKey.get(change.key);
    const event = change.type === 'put' ? this.put(change, previous) : this.remove(change, previous);
    if (event === undefined) return;
    this.stats.events++;
    this.ring.push(event);
    this.watchers.push(event);
    for (const listener of this.listeners) listener.changed(event.object, event.deleted, previous);
    if (previous === undefined) return;
    previous.retire();
    this.onReplaced(this, previous);
  }

  private put(change: StoreEvent, previous: CachedObject<T> | undefined): CachedEvent<T> | undefined {
    if (previous !== undefined && previous.revision >= change.revision) return undefined;
    const object = this.ownWrite(change) ?? this.makeObject(change.key, change.value!, change.revision);
    this.tree.set(change.key, object);
    this.byKey.set(change.key, object);
    return new CachedEvent(change.revision, object, previous, false);
  }

  /** The object of a write of this process, if the change is one. */
  private ownWrite(change: StoreEvent): CachedObject<T> | undefined {
    const written = this.written.get(change.key);
    if (written !== undefined && written.revision <= change.revision) {
      this.written.delete(change.key);
      if (written.revision === change.revision) return written;
    }
    const pending = this.pendingWrites.get(change.key);
    if (pending === undefined || Buffer.compare(pending.value, change.value!) !== 0) return undefined;
    this.pendingWrites.delete(change.key);
    return this.objectOf(change.key, pending, change.revision);
  }

  private remove(change: StoreEvent, previous: CachedObject<T> | undefined): CachedEvent<T> | undefined {
    if (previous === undefined || previous.revision >= change.revision) return undefined;
    this.tree.delete(change.key);
    this.byKey.delete(change.key);
    return new CachedEvent(change.revision, previous.atRevision(change.revision), previous, true);
  }

  private scopesOf({ object }: CachedEvent): string[] {
    return object.namespace === ''
      ? [this.prefix, object.key]
      : [this.prefix, `${this.prefix}${object.namespace}/`, object.key];
  }

  /**
   * Changes after `revision`, at most `max` (more where one revision has more); undefined when history does not reach
   * back so far.
   */
  eventsAfter(revision: number, max: number): CachedEvent[] | undefined {
    return this.ring.after(revision, max);
  }

  /** Adds a sink to the group of its selection and format; the sink must have seen everything so far. */
  join(selection: WatchSelection, format: WatchFormat, sink: WatchSink): WatchGroup {
    const key = groupKey(selection, format);
    let group = this.watchers.find(selection.scope, key);
    if (group === undefined) {
      group = new WatchGroup(selection, format, this.groupOptions);
      this.watchers.add(selection.scope, key, group);
    } else this.watchers.catchUp(selection.scope, key);
    group.join(sink);
    this.watcherCounts.clear();
    return group;
  }

  /**
   * Upper bound of the watchers that get a write in a namespace, without those of single objects; empty: of
   * cluster-scoped objects.
   */
  watchersOf(namespace: string): number {
    let count = this.watcherCounts.get(namespace);
    if (count === undefined) {
      count =
        this.watchers.watchersIn(this.prefix) +
        (namespace === '' ? 0 : this.watchers.watchersIn(`${this.prefix}${namespace}/`));
      if (this.watcherCounts.size >= WATCHER_COUNTS_MAX) this.watcherCounts.clear();
      this.watcherCounts.set(namespace, count);
    }
    return count;
  }

  leave(group: WatchGroup, sink: WatchSink): void {
    group.leave(sink);
    this.watcherCounts.clear();
    if (group.size === 0) this.watchers.remove(group.selection.scope, groupKey(group.selection, group.format), group);
  }

  /** Events that some watchers have yet to get. */
  get fanOutBacklog(): number {
    return this.watchers.backlog;
  }

  /** Resolves when every event so far is with its watchers. */
  fannedOut(): Promise<void> {
    return this.watchers.settled();
  }
}

function groupKey(selection: WatchSelection, format: WatchFormat): string {
  return `${format.representation.key}\n${selection.selectorKey}`;
}

export function newTree(): ObjectTree {
  return new BTree<string, CachedObject>();
}
