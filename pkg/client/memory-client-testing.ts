import { alreadyExists, conflict, notFound } from '../apimachinery/errors/status-error.ts';
import { deepCopy, deepEqual } from '../apimachinery/json/deep.ts';
import { parseLabelSelector } from '../apimachinery/selectors/label-selector.ts';
import type { ApiObject } from '../apimachinery/meta/object.ts';
import { applyMergePatch } from '../apimachinery/patch/merge-patch.ts';
import { resourceKey, type Resource } from '../api/resource.ts';
import type {
  CallOptions,
  Client,
  ListOptions,
  ObjectList,
  ObjectName,
  Watch,
  WatchEvent,
  WatchOptions,
} from './rest/client.ts';

/** A call as the server sees it. */
export interface MemoryCall {
  readonly verb: string;
  readonly resource: string;
  readonly name: string;
  readonly body?: unknown;
}

/** What several `MemoryClient`s share: objects by resource and name, and who watches. */
export class MemoryCluster {
  readonly objects = new Map<string, ApiObject>();
  readonly calls: MemoryCall[] = [];
  readonly watchers = new Set<(key: string, type: 'ADDED' | 'MODIFIED' | 'DELETED', object: ApiObject) => void>();
  revision = 0;
}

/**
 * For tests: the object API over a map, with resource versions, conflicts and watches as a server has them, without
 * admission or validation. `before` runs before each call and may wait or throw: the server is slow, refuses, or is
 * away.
 */
export class MemoryClient implements Client {
  readonly cluster: MemoryCluster;
  before: (call: MemoryCall, signal?: AbortSignal) => Promise<void> | void = () => undefined;

  constructor(cluster = new MemoryCluster()) {
    this.cluster = cluster;
  }

  get writes(): readonly MemoryCall[] {
    return this.cluster.calls.filter(({ verb }) => verb !== 'get' && verb !== 'list' && verb !== 'watch');
  }

  async get<T extends ApiObject>(resource: Resource<T>, name: ObjectName, options: CallOptions = {}): Promise<T> {
    await this.begin('get', resource, name.name, undefined, options);
    return this.present(resource, name);
  }

  async list<T extends ApiObject>(
    resource: Resource<T>,
    options: ListOptions & CallOptions = {},
  ): Promise<ObjectList<T>> {
    await this.begin('list', resource, '', undefined, options);
    const selector = parseLabelSelector(options.labelSelector ?? '');
    const prefix = `${resourceKey(resource)}/${options.namespace === undefined ? '' : `${options.namespace}/`}`;
    const items = [...this.cluster.objects]
      .filter(([key, { metadata }]) => key.startsWith(prefix) && selector.matches(metadata.labels))
      .map(([, object]) => object as T);
    return { resourceVersion: String(this.cluster.revision), items };
  }

  async *watch<T extends ApiObject>(resource: Resource<T>, options: WatchOptions & CallOptions = {}): Watch<T> {
    const events: WatchEvent<T>[] = [];
    let wake: () => void = () => undefined;
    const prefix = `${resourceKey(resource)}/`;
    const listener = (key: string, type: 'ADDED' | 'MODIFIED' | 'DELETED', object: ApiObject): void => {
      if (key.startsWith(prefix)) events.push({ type, object: object as T });
      wake();
    };
    // What changed between the list and the watch.
    for (const [key, object] of this.cluster.objects) {
      const isNew =
        options.sendInitialEvents || Number(object.metadata.resourceVersion) > Number(options.resourceVersion);
      if (isNew) listener(key, 'ADDED', object);
    }
    if (options.sendInitialEvents) {
      events.push({ type: 'BOOKMARK', resourceVersion: String(this.cluster.revision), initial: true });
    }
    this.cluster.watchers.add(listener);
    const { signal } = options;
    const abort = (): void => wake();
    signal?.addEventListener('abort', abort, { once: true });
    try {
      while (!signal?.aborted) {
        const event = events.shift();
        if (event !== undefined) yield event;
        else await new Promise<void>((resolve) => (wake = resolve));
      }
    } finally {
      this.cluster.watchers.delete(listener);
    }
  }

  async create<T extends ApiObject>(resource: Resource<T>, object: T, options: CallOptions = {}): Promise<T> {
    const { name = '' } = object.metadata;
    await this.begin('create', resource, name, object, options);
    const key = this.keyOf(resource, object.metadata as ObjectName);
    if (this.cluster.objects.has(key)) throw alreadyExists(resource, name);
    return this.store(key, 'ADDED', {
      ...object,
      metadata: { ...object.metadata, uid: `uid-${this.cluster.revision}` },
    });
  }

  async update<T extends ApiObject>(resource: Resource<T>, object: T, options: CallOptions = {}): Promise<T> {
    const { name = '', resourceVersion } = object.metadata;
    await this.begin('update', resource, name, object, options);
    const present = this.present(resource, object.metadata as ObjectName);
    if (resourceVersion !== undefined && resourceVersion !== present.metadata.resourceVersion) {
      throw conflict(resource, name, 'the object has been modified');
    }
    const key = this.keyOf(resource, object.metadata as ObjectName);
    return deepEqual(present, object) ? present : this.store(key, 'MODIFIED', object);
  }

  async patch<T extends ApiObject>(
    resource: Resource<T>,
    name: ObjectName,
    _type: 'json' | 'merge' | 'strategic',
    patch: unknown,
    options: CallOptions = {},
  ): Promise<T> {
    await this.begin('patch', resource, name.name, patch, options);
    const merged = applyMergePatch(deepCopy(this.present(resource, name)), patch) as T;
    return this.store(this.keyOf(resource, name), 'MODIFIED', merged);
  }

  async delete<T extends ApiObject>(resource: Resource<T>, name: ObjectName, options: CallOptions = {}): Promise<void> {
    await this.begin('delete', resource, name.name, undefined, options);
    const present = this.present(resource, name);
    const key = this.keyOf(resource, name);
    this.cluster.objects.delete(key);
    const resourceVersion = String(++this.cluster.revision);
    const last = { ...present, metadata: { ...present.metadata, resourceVersion } };
    for (const watcher of this.cluster.watchers) watcher(key, 'DELETED', last);
  }

  deleteCollection(): Promise<never> {
    return Promise.reject(new Error('not for tests of this client'));
  }

  subresource(): Promise<never> {
    return Promise.reject(new Error('not for tests of this client'));
  }

  getPath(): Promise<never> {
    return Promise.reject(new Error('not for tests of this client'));
  }

  private async begin(
    verb: string,
    resource: Resource,
    name: string,
    body: unknown,
    { signal }: CallOptions,
  ): Promise<void> {
    const call = { verb, resource: resource.resource, name, ...(body === undefined ? {} : { body }) };
    this.cluster.calls.push(call);
    await this.before(call, signal);
    signal?.throwIfAborted();
  }

  private present<T extends ApiObject>(resource: Resource<T>, name: ObjectName): T {
    const object = this.cluster.objects.get(this.keyOf(resource, name));
    if (object === undefined) throw notFound(resource, name.name);
    return object as T;
  }

  private store<T extends ApiObject>(key: string, type: 'ADDED' | 'MODIFIED', object: T): T {
    const resourceVersion = String(++this.cluster.revision);
    const stored = deepCopy({ ...object, metadata: { ...object.metadata, resourceVersion } });
    this.cluster.objects.set(key, stored);
    for (const watcher of this.cluster.watchers) watcher(key, type, stored);
    return stored;
  }

  private keyOf(resource: Resource, { namespace = '', name }: ObjectName): string {
    return `${resourceKey(resource)}/${resource.namespaced ? `${namespace}/` : ''}${name}`;
  }
}
