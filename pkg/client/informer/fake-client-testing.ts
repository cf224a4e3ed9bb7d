import { deepCopy } from '../../apimachinery/json/deep.ts';
import { deepFreeze } from '../../apimachinery/json/deep-freeze.ts';
import { parseFieldSelector } from '../../apimachinery/selectors/field-selector.ts';
import { parseLabelSelector } from '../../apimachinery/selectors/label-selector.ts';
import type { ApiObject } from '../../apimachinery/meta/object.ts';
import { badRequest, notFound, resourceExpired } from '../../apimachinery/errors/status-error.ts';
import type { Resource } from '../../api/resource.ts';
import { ConnectionError } from '../rest/client.ts';
import type {
  CallOptions,
  Client,
  ListOptions,
  ObjectList,
  ObjectName,
  Selection,
  Watch,
  WatchEvent,
  WatchOptions,
} from '../rest/client.ts';
import { FakeWatch } from './fake-watch-testing.ts';
import { objectKey } from './object-key.ts';

interface Change {
  readonly revision: number;
  readonly object: ApiObject;
  readonly before: ApiObject | undefined;
  readonly deleted: boolean;
}

type ReadVerb = 'list' | 'watch';

/** For tests: the reading side of a client, with one resource behind it whose failures the test decides. */
export class FakeClient implements Client {
  /** Options of every list and watch, in order. */
  readonly calls: { readonly verb: ReadVerb; readonly options: ListOptions & WatchOptions }[] = [];
  /** Lists with resourceVersion 0 are answered from this many revisions ago. */
  lag = 0;
  /** False: watches that begin with the state are refused, as servers without KEP-3157 do. */
  hasStreamingLists = true;
  private objects = new Map<string, ApiObject>();
  private history: Change[] = [];
  private revision = 100;
  private compacted = 100;
  private nextUid = 1;
  private watches = new Set<FakeWatch<ApiObject>>();
  private readonly failures: Record<ReadVerb, unknown[]> = { list: [], watch: [] };

  get openWatches(): number {
    return this.watches.size;
  }

  get resourceVersion(): string {
    return String(this.revision);
  }

  /** Creates or changes an object. */
  put<T extends ApiObject>(body: T): T {
    const key = objectKey(body.metadata.namespace ?? '', body.metadata.name!);
    const before = this.objects.get(key);
    const object = deepCopy(body);
    object.metadata.uid = before?.metadata.uid ?? `uid-${this.nextUid++}`;
    object.metadata.resourceVersion = String(++this.revision);
    deepFreeze(object);
    this.objects.set(key, object);
    this.record({ revision: this.revision, object, before, deleted: false });
    return object;
  }

  remove({ namespace = '', name }: ObjectName): void {
    const key = objectKey(namespace, name);
    const before = this.objects.get(key);
    if (before === undefined) return;
    this.objects.delete(key);
    const object = deepCopy(before);
    object.metadata.resourceVersion = String(++this.revision);
    this.record({ revision: this.revision, object: deepFreeze(object), before, deleted: true });
  }

  private record(change: Change): void {
    this.history.push(change);
    for (const watch of this.watches) {
      const event = eventFor(change, watch.selection);
      if (event !== undefined) watch.push(event);
    }
  }

  /** The next call of the verb fails, after those that are to fail already. */
  failNext(verb: ReadVerb, error: unknown): void {
    this.failures[verb].push(error);
  }

  /** Open watches end, with an error or without one. */
  endWatches(error?: unknown): void {
    for (const watch of this.watches) watch.finish(error);
  }

  breakConnections(): void {
    this.endWatches(new ConnectionError('connection reset'));
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

  get<T extends ApiObject>({ resource, group }: Resource<T>, { namespace = '', name }: ObjectName): Promise<T> {
    const found = this.objects.get(objectKey(namespace, name));
    return found === undefined ? Promise.reject(notFound({ group, resource }, name)) : Promise.resolve(found as T);
  }

  async list<T extends ApiObject>(_: Resource<T>, options: ListOptions & CallOptions = {}): Promise<ObjectList<T>> {
    const { signal, ...asked } = options;
    this.calls.push({ verb: 'list', options: asked });
    await new Promise(setImmediate);
    signal?.throwIfAborted();
    if (this.failures.list.length > 0) throw this.failures.list.shift();
    const [at, offset] = this.place(options);
    if (at < this.compacted) throw resourceExpired(`revision ${at} has been compacted`);
    const all = this.stateAt(at).filter((object) => matches(object, options)) as T[];
    const end = options.limit === undefined || options.limit === 0 ? all.length : offset + options.limit;
    const page = { resourceVersion: String(at), items: all.slice(offset, end) };
    return end < all.length ? { ...page, continue: `${at}:${end}` } : page;
  }

  /** Revision and offset of a page. */
  private place(options: ListOptions): [number, number] {
    if (options.continue !== undefined) return options.continue.split(':').map(Number) as [number, number];
    return [options.resourceVersion === '0' ? Math.max(this.compacted, this.revision - this.lag) : this.revision, 0];
  }

  private stateAt(revision: number): ApiObject[] {
    const state = new Map(this.objects);
    for (const change of this.history.toReversed()) {
      if (change.revision <= revision) break;
      const key = objectKey(change.object.metadata.namespace ?? '', change.object.metadata.name!);
      if (change.before === undefined) state.delete(key);
      else state.set(key, change.before);
    }
    return [...state.keys()].toSorted().map((key) => state.get(key)!);
  }

  watch<T extends ApiObject>(_: Resource<T>, options: WatchOptions & CallOptions = {}): Watch<T> {
    const { signal, ...asked } = options;
    this.calls.push({ verb: 'watch', options: asked });
    const watch = new FakeWatch<ApiObject>(options, signal, (ended) => this.watches.delete(ended));
    if (this.failures.watch.length > 0) watch.finish(this.failures.watch.shift());
    else if (options.sendInitialEvents === true && !this.hasStreamingLists)
      watch.finish(badRequest('sendInitialEvents is forbidden'));
    else this.open(watch, options);
    return watch as unknown as Watch<T>;
  }

  private open(watch: FakeWatch<ApiObject>, options: WatchOptions): void {
    if (options.sendInitialEvents === true) {
      for (const object of this.stateAt(this.revision))
        if (matches(object, options)) watch.push({ type: 'ADDED', object });
      watch.push({ type: 'BOOKMARK', resourceVersion: String(this.revision), initial: true });
    } else if (Number(options.resourceVersion) < this.compacted) {
      return watch.finish(resourceExpired(`revision ${options.resourceVersion} has been compacted`));
    } else {
      for (const change of this.history) {
        const event = change.revision > Number(options.resourceVersion) ? eventFor(change, options) : undefined;
        if (event !== undefined) watch.push(event);
      }
    }
    this.watches.add(watch);
  }

  create = unsupported;
  update = unsupported;
  patch = unsupported;
  delete = unsupported;
  deleteCollection = unsupported;
  subresource = unsupported;
  getPath = unsupported;
}

function unsupported(): Promise<never> {
  return Promise.reject(new Error('the fake client only reads'));
}

function matches(object: ApiObject, { namespace = '', labelSelector = '', fieldSelector = '' }: Selection): boolean {
  const { metadata } = object;
  if (namespace !== '' && metadata.namespace !== namespace) return false;
  if (!parseLabelSelector(labelSelector).matches(metadata.labels)) return false;
  return parseFieldSelector(fieldSelector).matches(
    (field) => (field === 'metadata.name' ? metadata.name : metadata.namespace) ?? '',
  );
}

function eventFor(
  { revision, object, before, deleted }: Change,
  selection: Selection,
): WatchEvent<ApiObject> | undefined {
  const was = before !== undefined && matches(before, selection);
  if (deleted) return was ? { type: 'DELETED', object } : undefined;
  if (matches(object, selection)) return { type: was ? 'MODIFIED' : 'ADDED', object };
  if (!was) return undefined;
  const departed = { ...before, metadata: { ...before.metadata, resourceVersion: String(revision) } };
  return { type: 'DELETED', object: departed };
}
