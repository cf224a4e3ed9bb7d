import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { resourceKey, type NamedResource } from '../api/resource.ts';
import { AdmissionChain, type AdmissionPlugin, silentNotes } from '../admission/admission.ts';
import { builtInGroups } from '../api/all-resources.ts';
import type { AnyResource } from '../api/resource-definition.ts';
import { Scheme } from '../api/scheme.ts';
import type { ApiObject } from '../apimachinery/meta/object.ts';
import { normalize } from '../codec/normalize.ts';
import { schemaOf } from '../codec/schemas.ts';
import { ByteBudget } from '../storage/cacher/byte-budget.ts';
import type { CachedObject } from '../storage/cacher/cached-object.ts';
import { Cacher } from '../storage/cacher/cacher.ts';
import { EmbeddedStore } from '../storage/embedded/embedded-store.ts';
import type { ResourceHooks } from './resource-hooks.ts';
import { cacheName, ResourceStore } from './resource-store.ts';
import { StorageCodec } from './storage-codec.ts';
import type { WriteRequest } from './write-request.ts';

/** For tests: registries over one embedded store, each with a separate cacher, as replicas have. */

/** One replica's stores, by token or cache name. */
export type Replica = <T extends ApiObject>(resource: NamedResource<T> | string) => ResourceStore<T>;

export interface TestRegistry {
  readonly store: EmbeddedStore;
  replica(hooks?: Readonly<Record<string, ResourceHooks>>): Promise<Replica>;
  /** Keys under the prefix, as they are in the store. */
  keys(prefix: string): Promise<string[]>;
  stop(): Promise<void>;
}

export function openRegistry(
  resources: readonly AnyResource[],
  { eventTtlSeconds = 3600, collectsGarbage = true } = {},
): TestRegistry {
  const dir = mkdtempSync(path.join(tmpdir(), 'binnacle-registry-'));
  const store = new EmbeddedStore({ dataDir: dir, progressIntervalMs: 200 });
  const scheme = new Scheme(resources, builtInGroups);
  const cachers: Cacher[] = [];
  return {
    store,
    async replica(hooks = {}) {
      const codecs = new Map(resources.map((d) => [d, new StorageCodec(scheme, d)]));
      const cached = resources.map((d) => ({
        name: cacheName(d),
        storagePath: d.storagePath,
        namespaced: d.namespaced,
        format: codecs.get(d)!,
        ringSize: 100,
      }));
      const cacher = new Cacher({ store, resources: cached, budget: new ByteBudget(1 << 20) });
      cachers.push(cacher);
      const stores = new Map(
        resources.map((d) => [
          cacheName(d),
          new ResourceStore(scheme, d, cacher, codecs.get(d)!, hooks[cacheName(d)] ?? {}, {
            eventTtlSeconds,
            collectsGarbage,
          }),
        ]),
      );
      await cacher.start();
      return <T extends ApiObject>(resource: NamedResource<T> | string) =>
        stores.get(typeof resource === 'string' ? resource : resourceKey(resource))! as ResourceStore<T>;
    },
    keys: async (prefix) => (await store.range(prefix)).items.map((item) => item.key),
    async stop() {
      for (const cacher of cachers) await cacher.stop();
      await store.close();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

/** A replica's store that has not seen yet what others wrote after `known`. */
export function behind(store: ResourceStore, known: CachedObject | undefined): ResourceStore {
  return Object.create(store, { newest: { value: () => Promise.resolve(known) } }) as ResourceStore;
}

export const NOW = '2024-01-02T03:04:05Z';

export function write(
  requestVersion: string,
  name = '',
  options: { dryRun?: boolean; namespace?: string; subresource?: string; plugins?: readonly AdmissionPlugin[] } = {},
): WriteRequest {
  const { dryRun = false, namespace = 'n', subresource = '', plugins = [] } = options;
  return {
    namespace,
    name,
    subresource,
    context: { now: NOW, user: { name: 'u', groups: [] }, requestVersion, dryRun, policy: { allowPrivileged: false } },
    admission: new AdmissionChain(plugins),
    notes: silentNotes,
  };
}

/** A body of the hub version as a handler passes it on: normalized and with its defaults. */
export function hubObject(
  definition: AnyResource,
  metadata: Partial<ApiObject['metadata']>,
  rest: object = {},
): ApiObject {
  const namespace = definition.namespaced ? { namespace: 'n' } : {};
  const hub = definition.versions.find((v) => v.groupVersion === definition.hub)!;
  const body = { kind: definition.kind, apiVersion: definition.hub, metadata: { ...namespace, ...metadata }, ...rest };
  const object = normalize<ApiObject>(body, schemaOf(hub.message));
  hub.setDefaults?.(object);
  return object;
}
