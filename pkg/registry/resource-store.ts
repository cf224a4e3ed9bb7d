import type { AnyResource } from '../api/resource-definition.ts';
import type { Scheme } from '../api/scheme.ts';
import type { ApiObject } from '../apimachinery/meta/object.ts';
import type { GroupKind, GroupResource } from '../apimachinery/errors/status-error.ts';
import type { CachedObject } from '../storage/cacher/cached-object.ts';
import { readThrough, type Cacher } from '../storage/cacher/cacher.ts';
import type { ResourceCache } from '../storage/cacher/resource-cache.ts';
import type { KeyValue, Store } from '../storage/store.ts';
import { KeyMutex } from './key-mutex.ts';
import type { ResourceHooks } from './resource-hooks.ts';
import type { StorageCodec } from './storage-codec.ts';

export interface ResourceStoreSettings {
  /** `--event-ttl`, seconds. */
  readonly eventTtlSeconds: number;
  /** `--enable-garbage-collector`. */
  readonly collectsGarbage: boolean;
}

/** Another writer was faster: the current object; undefined: none. */
export interface Conflict<T extends ApiObject = ApiObject> {
  readonly newer: CachedObject<T> | undefined;
}

/**
 * One resource with its place in the store and its cache: what the functions of this folder work on. `T` is the hub
 * version's interface where the resource is known by its token (`StoreAccess`).
 */
export class ResourceStore<T extends ApiObject = ApiObject> {
  readonly definition: AnyResource;
  readonly scheme: Scheme;
  readonly cacher: Cacher;
  readonly cache: ResourceCache<T>;
  readonly codec: StorageCodec;
  readonly hooks: ResourceHooks<T>;
  readonly groupResource: GroupResource;
  readonly groupKind: GroupKind;
  /** Lifetime of objects, for kinds that expire. */
  readonly ttlSeconds: number | undefined;
  /** A garbage collector runs: deletes may leave an object with a finalizer for it. */
  readonly collectsGarbage: boolean;
  /** Updates of one object by this process take turns instead of conflicting. */
  readonly updates = new KeyMutex();
  private readonly byGroup = new Map<string, ResourceStore<T>>();

  constructor(
    scheme: Scheme,
    definition: AnyResource,
    cacher: Cacher,
    codec: StorageCodec,
    hooks: ResourceHooks<T>,
    settings: ResourceStoreSettings,
  ) {
    this.scheme = scheme;
    this.definition = definition;
    this.cacher = cacher;
    this.cache = cacher.cache(cacheName(definition)) as ResourceCache<T>;
    this.codec = codec;
    this.hooks = hooks;
    this.groupResource = { group: definition.group, resource: definition.resource };
    this.groupKind = { group: definition.errorGroup ?? definition.group, kind: definition.kind };
    this.ttlSeconds = definition.expires === true ? settings.eventTtlSeconds : undefined;
    this.collectsGarbage = settings.collectsGarbage;
  }

  /** The same store, its errors naming another group. */
  underGroup(group: string): ResourceStore<T> {
    if (group === this.groupResource.group) return this;
    let named = this.byGroup.get(group);
    if (named === undefined) {
      named = Object.create(this, {
        groupResource: { value: { group, resource: this.definition.resource } },
      }) as ResourceStore<T>;
      this.byGroup.set(group, named);
    }
    return named;
  }

  /** The store behind the cache. */
  get backend(): Store {
    return this.cacher.store;
  }

  /** Store key of an object. */
  keyOf(namespace: string, name: string): string {
    return this.definition.namespaced ? `${this.cache.prefix}${namespace}/${name}` : `${this.cache.prefix}${name}`;
  }

  /** Store key prefix of a namespace, or of all objects. */
  scopeOf(namespace: string): string {
    return this.definition.namespaced && namespace !== '' ? `${this.cache.prefix}${namespace}/` : this.cache.prefix;
  }

  /**
   * The newest state that this process knows; a write must still compare revisions. Absent objects are looked up in the
   * store.
   */
  async newest(key: string): Promise<CachedObject<T> | undefined> {
    return this.cache.newest(key) ?? this.confirmed(key);
  }

  /**
   * The stored object instead of one that this process knows, where another process was faster; undefined where none
   * was.
   */
  async conflictWith({ key, revision }: CachedObject<T>): Promise<Conflict<T> | undefined> {
    const newer = await this.confirmed(key);
    return newer?.revision === revision ? undefined : { newer };
  }

  /** A state that includes every write acknowledged before the call, of any process. */
  private async confirmed(key: string): Promise<CachedObject<T> | undefined> {
    if (await this.cacher.fresh()) return this.cache.newest(key);
    return readThrough(this.cacher, this.cache, key);
  }

  /**
   * Writes an object by compare-and-swap. `value` was made of `object`, which becomes the cache's. On a conflict
   * returns the current object.
   */
  async commit(
    key: string,
    expectRevision: number,
    value: Uint8Array,
    object: T,
  ): Promise<{ written: CachedObject<T> } | Conflict<T>> {
    const pending = this.cache.addPendingWrite(key, value, this.codec.readBack(object, value));
    let stored = false;
    try {
      const result = await this.backend.commit(key, {
        expectRevision,
        value,
        ...(this.ttlSeconds === undefined ? {} : { ttlSeconds: this.ttlSeconds }),
      });
      if (!result.ok) return this.conflict(key, result.current);
      stored = true;
      return {
        written:
          this.cache.completePendingWrite(key, pending, result.revision) ??
          this.uncached(key, value, result.revision, pending.object),
      };
    } finally {
      if (!stored) this.cache.dropPendingWrite(key, pending);
    }
  }

  /** Removes an object by compare-and-swap. On a conflict returns the current object. */
  async remove(key: string, expectRevision: number): Promise<{ revision: number } | Conflict<T>> {
    const result = await this.backend.commit(key, { expectRevision });
    if (!result.ok) return this.conflict(key, result.current);
    if (this.cacher.revision < result.revision) this.cache.removed(key, result.revision);
    return { revision: result.revision };
  }

  private conflict(key: string, current: KeyValue | undefined): Conflict<T> {
    return {
      newer: current === undefined ? undefined : this.cache.makeTransient(key, current.value, current.modRevision),
    };
  }

  /** An object that the cache never sees: of a dry run, or removed. */
  uncached(key: string, value: Uint8Array, revision: number, object: T): CachedObject<T> {
    if (revision === 0) delete object.metadata.resourceVersion;
    else object.metadata.resourceVersion = String(revision);
    const cached = this.cache.makeTransient(key, value, revision);
    this.codec.dropEmptyLists(object);
    cached.keepObject(object);
    return cached;
  }
}

/** Name of a resource's cache and its metric label: `deployments.apps`, `pods`. */
export function cacheName(definition: AnyResource): string {
  return definition.group === '' ? definition.resource : `${definition.resource}.${definition.group}`;
}
