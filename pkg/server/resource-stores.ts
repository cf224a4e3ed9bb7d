import { resourceKey, type Resource } from '../api/resource.ts';
import type { ApiObject } from '../apimachinery/meta/object.ts';
import type { AnyResource } from '../api/resource-definition.ts';
import { Scheme } from '../api/scheme.ts';
import type { ResourceHooks } from '../registry/resource-hooks.ts';
import { cacheName, ResourceStore } from '../registry/resource-store.ts';
import { StorageCodec, type StorageMediaType } from '../registry/storage-codec.ts';
import { storeAccess, type StoreAccess } from '../registry/store-access.ts';
import { ByteBudget } from '../storage/cacher/byte-budget.ts';
import { Cacher } from '../storage/cacher/cacher.ts';
import type { CachedResource } from '../storage/cacher/resource-cache.ts';
import type { Store } from '../storage/store.ts';

/** What is kept in memory. */
export interface CacheSettings {
  /** Memory for decoded objects and encoded forms, bytes. */
  readonly bytes: number;
  /** Objects that may have such forms at one time; default: as many as the memory holds. */
  readonly objectsMax?: number;
  /** Changes kept of each resource (`deployments.apps`) for watches from the past. */
  readonly history: { readonly sizes: ReadonlyMap<string, number>; readonly byDefault: number };
}

export interface ResourceStoresOptions {
  readonly scheme: Scheme;
  readonly store: Store;
  /** Stores of single resources (`events`) that are not in `store`; several may have the same. */
  readonly overrides?: ReadonlyMap<string, Store>;
  readonly cache: CacheSettings;
  /** Form of new values; default protobuf. */
  readonly mediaType?: StorageMediaType;
  readonly eventTtlSeconds: number;
  /** `--enable-garbage-collector`. */
  readonly collectsGarbage: boolean;
  readonly onError: (error: unknown) => void;
}

/**
 * Every stored resource with its store. Each store has one cacher and revisions of its own: a resourceVersion means
 * something among the objects of one resource, and nowhere else (docs/decisions/0006-stores-of-single-resources.md).
 */
export class ResourceStores {
  /** The stores of resources whose kind the caller knows. */
  readonly access: StoreAccess = storeAccess((name) => this.of(name));
  /** That of the main store first. */
  private readonly all: Cacher[];
  private readonly options: ResourceStoresOptions;
  private readonly budget: ByteBudget;
  private readonly byName = new Map<string, ResourceStore>();
  private readonly hooks = new Map<string, ResourceHooks>();

  constructor(options: ResourceStoresOptions) {
    this.options = options;
    const stored = options.scheme.resources.filter((d) => d.virtual !== true);
    const byStore = new Map<Store, AnyResource[]>([[options.store, []]]);
    for (const definition of stored) {
      const store = options.overrides?.get(cacheName(definition)) ?? options.store;
      const known = byStore.get(store);
      if (known === undefined) byStore.set(store, [definition]);
      else known.push(definition);
    }
    this.budget = new ByteBudget(options.cache.bytes, options.cache.objectsMax);
    const codecs = new Map(stored.map((d) => [d, this.codecOf(d)]));
    this.all = [...byStore].map(([store, definitions]) => {
      const resources = definitions.map((d) => cachedResource(d, codecs.get(d)!, options.cache));
      const cacher = new Cacher({ store, resources, budget: this.budget, onError: options.onError });
      for (const d of definitions)
        this.byName.set(
          cacheName(d),
          new ResourceStore(options.scheme, d, cacher, codecs.get(d)!, this.hooksOf(cacheName(d)), options),
        );
      return cacher;
    });
  }

  /** The store of what has no store of its own. */
  get main(): Store {
    return this.options.store;
  }

  /** What writes of a resource (`services`) do besides; before the first write. */
  addHooks<T extends ApiObject>(resource: Resource<T>, hooks: ResourceHooks<T>): void {
    Object.assign(this.hooksOf(resourceKey(resource)), hooks);
  }

  /** One object for all forms in which the resource is served, one after another. */
  private hooksOf(name: string): ResourceHooks {
    let hooks = this.hooks.get(name);
    if (hooks === undefined) this.hooks.set(name, (hooks = {}));
    return hooks;
  }

  /** In a scheme of its own: objects are read before the registry knows their resource, and after it does not. */
  private codecOf(definition: AnyResource): StorageCodec {
    return new StorageCodec(new Scheme([definition]), definition, this.options.mediaType);
  }

  /** That of the main store first. */
  get cachers(): readonly Cacher[] {
    return this.all;
  }

  /**
   * Opens the store of one more resource, or of another form of one that is open at the same path: loads its cache
   * beside the running feed. `opened` runs in the turn in which the store is there; where it throws, nothing has
   * changed.
   */
  async open(definition: AnyResource, opened: () => Promise<void> | void): Promise<void> {
    const { options } = this;
    const name = cacheName(definition);
    const cacher = await this.cacherOf(options.overrides?.get(name) ?? options.store);
    const codec = this.codecOf(definition);
    await cacher.add(cachedResource(definition, codec, options.cache), () => {
      const previous = this.byName.get(name);
      this.byName.set(name, new ResourceStore(options.scheme, definition, cacher, codec, this.hooksOf(name), options));
      try {
        return opened();
      } catch (error) {
        if (previous === undefined) this.byName.delete(name);
        else this.byName.set(name, previous);
        throw error;
      }
    });
  }

  /** Removes a resource; its objects stay in the store. */
  async close(definition: AnyResource): Promise<void> {
    const name = cacheName(definition);
    const { cacher } = this.of(name);
    this.byName.delete(name);
    await cacher.remove(name);
  }

  /** The cacher of a store; one for a store that had no resource so far. */
  private async cacherOf(store: Store): Promise<Cacher> {
    const known = this.all.find((cacher) => cacher.store === store);
    if (known !== undefined) return known;
    const { onError } = this.options;
    const cacher = new Cacher({ store, resources: [], budget: this.budget, onError });
    await cacher.start();
    this.all.push(cacher);
    return cacher;
  }

  /** The store of `deployments.apps` or `pods`; throws for what is not stored. */
  of(name: string): ResourceStore {
    const store = this.find(name);
    if (store === undefined) throw new Error(`no store for ${name}`);
    return store;
  }

  find(name: string): ResourceStore | undefined {
    return this.byName.get(name);
  }

  /** False while the state of some store is not known to be complete. */
  get ready(): boolean {
    return this.cachers.every((cacher) => cacher.ready);
  }

  /** Resolves when every store answers within `timeoutMs`; throws `StoreUnavailableError` otherwise. */
  async ping(timeoutMs: number): Promise<void> {
    await Promise.all(this.cachers.map((cacher) => cacher.store.ping(timeoutMs)));
  }

  /** Checks that no store refuses writes while it answers reads; undefined where none could tell. */
  get assertWritable(): (() => Promise<void>) | undefined {
    const telling = this.cachers.flatMap((cacher) => cacher.store.assertWritable?.bind(cacher.store) ?? []);
    return telling.length === 0 ? undefined : async () => void (await Promise.all(telling.map((assert) => assert())));
  }

  /** Loads every cache; rejects when one cannot be loaded. */
  async start(): Promise<void> {
    await Promise.all(this.cachers.map((cacher) => cacher.start()));
  }

  async stop(): Promise<void> {
    await Promise.all(this.cachers.map((cacher) => cacher.stop()));
  }
}

function cachedResource(definition: AnyResource, format: StorageCodec, cache: CacheSettings): CachedResource {
  const name = cacheName(definition);
  return {
    name,
    storagePath: definition.storagePath,
    namespaced: definition.namespaced,
    format,
    ringSize: cache.history.sizes.get(name) ?? cache.history.byDefault,
  };
}
