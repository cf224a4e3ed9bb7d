import { type Resource, groupVersionOf, resourceKey } from '../../api/resource.ts';
import type { Clock } from '../../apimachinery/clock.ts';
import { FakeClock } from '../../apimachinery/clock-testing.ts';
import { badRequest, resourceExpired } from '../../apimachinery/errors/status-error.ts';
import { deepCopy } from '../../apimachinery/json/deep.ts';
import { deepFreeze } from '../../apimachinery/json/deep-freeze.ts';
import type { ApiObject } from '../../apimachinery/meta/object.ts';
import { formatTime } from '../../apimachinery/values/time.ts';
import {
  ConnectionError,
  type DeleteOptions,
  type ListOptions,
  type ObjectList,
  type ObjectName,
  type WatchEvent,
  type WatchOptions,
  type WriteOptions,
} from '../rest/client.ts';
import { FakeWatch } from './fake-watch-testing.ts';
import { type Matches, selectionOf } from './object-selection-testing.ts';

/** A call as the server sees it. */
export interface FakeCall {
  readonly verb: string;
  readonly resource: string;
  /** Empty for collections. */
  readonly name: string;
  readonly namespace?: string;
  readonly subresource?: string;
  readonly body?: unknown;
  /** What the caller asked for, its signal excepted. */
  readonly options: ListOptions & WatchOptions & WriteOptions & DeleteOptions;
}

export interface ObjectChange {
  readonly revision: number;
  readonly key: string;
  /** Undefined for a new object. */
  readonly before: ApiObject | undefined;
  /** The new state; the last one where it is deleted. */
  readonly object: ApiObject;
  readonly deleted: boolean;
}

/** Where revisions begin. */
const FIRST_REVISION = 100;

/**
 * For tests: the state of an API server in memory, with its history, and the watches on it. Clients of several users
 * or processes share it. What a test puts here needs no permission and keeps no rules.
 */
export class FakeCluster {
  /** By resource, namespace and name, as `keyOf` makes keys; frozen. */
  readonly objects = new Map<string, ApiObject>();
  readonly calls: FakeCall[] = [];
  readonly clock: Pick<Clock, 'wallMs'>;
  revision = FIRST_REVISION;
  /** Lists with resourceVersion 0 are answered from this many revisions ago. */
  lag = 0;
  /** False: watches that begin with the state are refused, as servers without KEP-3157 do. */
  hasStreamingLists = true;
  private history: ObjectChange[] = [];
  private compacted = FIRST_REVISION;
  private uids = 0;
  private readonly watches = new Set<FakeWatch<ApiObject>>();

  constructor(clock: Pick<Clock, 'wallMs'> = new FakeClock()) {
    this.clock = clock;
  }

  /** Calls that change something. */
  get writes(): readonly FakeCall[] {
    return this.calls.filter(({ verb }) => verb !== 'get' && verb !== 'list' && verb !== 'watch');
  }

  get openWatches(): number {
    return this.watches.size;
  }

  get now(): string {
    return formatTime(new Date(this.clock.wallMs()));
  }

  nextUid(): string {
    return `uid-${++this.uids}`;
  }

  find<T extends ApiObject>(resource: Resource<T>, name: ObjectName): T | undefined {
    return this.objects.get(keyOf(resource, name)) as T | undefined;
  }

  /** All objects of a resource, by their keys. */
  all<T extends ApiObject>(resource: Resource<T>): T[] {
    return this.stateAt(resource, this.revision) as T[];
  }

  /** Creates or replaces an object, whatever the rules say; fills in what every stored object has. */
  put<T extends ApiObject>(resource: Resource<T>, object: T): T {
    const before = this.find(resource, object.metadata as ObjectName);
    const { uid = this.nextUid(), creationTimestamp = this.now } = { ...before?.metadata, ...object.metadata };
    return this.commit(resource, { ...object, metadata: { ...object.metadata, uid, creationTimestamp } });
  }

  /** Removes an object, whatever holds it; nothing where it is not there. */
  remove(resource: Resource, name: ObjectName): void {
    const before = this.find(resource, name);
    if (before !== undefined) this.commit(resource, before, true);
  }

  /** Stores a state at the next revision, and shows it to watches. */
  commit<T extends ApiObject>(resource: Resource<T>, state: T, deleted = false): T {
    const key = keyOf(resource, state.metadata as ObjectName);
    const revision = ++this.revision;
    const type = { apiVersion: groupVersionOf(resource), kind: resource.kind };
    const metadata = { ...state.metadata, resourceVersion: String(revision) };
    const object = deepFreeze(deepCopy({ ...type, ...state, metadata }));
    const change = { revision, key, before: this.objects.get(key), object, deleted };
    if (deleted) this.objects.delete(key);
    else this.objects.set(key, object);
    this.history.push(change);
    for (const watch of this.watches) watch.show(change);
    return object;
  }

  /** History is forgotten: watches and lists from before fail with 410. */
  compact(): void {
    this.history = [];
    this.compacted = this.revision;
  }

  sendBookmarks(): void {
    for (const watch of this.watches)
      watch.push({ type: 'BOOKMARK', resourceVersion: String(this.revision), initial: false });
  }

  /** Open watches end, with an error or without one. */
  endWatches(error?: unknown): void {
    for (const watch of this.watches) watch.finish(error);
  }

  breakConnections(): void {
    this.endWatches(new ConnectionError('connection reset'));
  }

  list<T extends ApiObject>(resource: Resource<T>, options: ListOptions): ObjectList<T> {
    const matches = selectionOf(resource, options);
    const [revision, offset] = this.place(options);
    if (revision < this.compacted) throw resourceExpired(`revision ${revision} has been compacted`);
    const all = this.stateAt(resource, revision).filter(matches) as T[];
    const end = options.limit === undefined || options.limit === 0 ? all.length : offset + options.limit;
    const page = { resourceVersion: String(revision), items: all.slice(offset, end) };
    return end < all.length ? { ...page, continue: `${revision}:${end}` } : page;
  }

  watch<T extends ApiObject>(resource: Resource<T>, options: WatchOptions, signal?: AbortSignal): FakeWatch<T> {
    const matches = selectionOf(resource, options);
    const prefix = keyPrefix(resource);
    const eventOf = (change: ObjectChange): WatchEvent<ApiObject> | undefined =>
      change.key.startsWith(prefix) ? eventFor(change, matches) : undefined;
    const watch = new FakeWatch<ApiObject>(eventOf, signal, (ended) => this.watches.delete(ended));
    if (!watch.ended) this.begin(watch, resource, matches, options);
    return watch as unknown as FakeWatch<T>;
  }

  private begin(watch: FakeWatch<ApiObject>, resource: Resource, matches: Matches, options: WatchOptions): void {
    const { resourceVersion = '', sendInitialEvents = false } = options;
    if (sendInitialEvents && !this.hasStreamingLists) {
      return watch.finish(badRequest('sendInitialEvents is forbidden'));
    }
    if (sendInitialEvents || resourceVersion === '' || resourceVersion === '0') {
      for (const object of this.stateAt(resource, this.revision)) {
        if (matches(object)) watch.push({ type: 'ADDED', object });
      }
      if (sendInitialEvents) watch.push({ type: 'BOOKMARK', resourceVersion: String(this.revision), initial: true });
    } else if (Number(resourceVersion) < this.compacted) {
      return watch.finish(resourceExpired(`revision ${resourceVersion} has been compacted`));
    } else {
      for (const change of this.history) if (change.revision > Number(resourceVersion)) watch.show(change);
    }
    this.watches.add(watch);
  }

  /** Revision and offset of a page. */
  private place({ continue: next, resourceVersion = '', resourceVersionMatch }: ListOptions): [number, number] {
    if (next !== undefined) return next.split(':').map(Number) as [number, number];
    if (resourceVersionMatch === 'Exact') return [Number(resourceVersion), 0];
    return [resourceVersion === '0' ? Math.max(this.compacted, this.revision - this.lag) : this.revision, 0];
  }

  private stateAt(resource: Resource, revision: number): ApiObject[] {
    const prefix = keyPrefix(resource);
    const state = new Map([...this.objects].filter(([key]) => key.startsWith(prefix)));
    for (const { key, before, revision: changed } of this.history.toReversed()) {
      if (changed <= revision) break;
      if (!key.startsWith(prefix)) continue;
      if (before === undefined) state.delete(key);
      else state.set(key, before);
    }
    return [...state.keys()].toSorted().map((key) => state.get(key)!);
  }
}

/** `pods/default/web`, `nodes/one`, `deployments.apps/default/web`. */
export function keyOf(resource: Resource, { namespace = '', name }: ObjectName): string {
  return `${keyPrefix(resource)}${resource.namespaced ? `${namespace}/` : ''}${name}`;
}

function keyPrefix(resource: Resource): string {
  return `${resourceKey(resource)}/`;
}

/** Leaving a selection is a deletion, entering it an addition. */
function eventFor(
  { revision, object, before, deleted }: ObjectChange,
  matches: Matches,
): WatchEvent<ApiObject> | undefined {
  const was = before !== undefined && matches(before);
  if (deleted) return was ? { type: 'DELETED', object } : undefined;
  if (matches(object)) return { type: was ? 'MODIFIED' : 'ADDED', object };
  if (!was) return undefined;
  const departed = deepFreeze({ ...before, metadata: { ...before.metadata, resourceVersion: String(revision) } });
  return { type: 'DELETED', object: departed };
}
