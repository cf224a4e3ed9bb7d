import { services } from '../api/core/tokens.ts';
import { openServiceAllocators, type ServiceAllocators } from '../registry/allocators/service-allocators.ts';
import { serviceHooks } from '../registry/allocators/service-hooks.ts';
import type { StoreAccess } from '../registry/store-access.ts';
import { ResourceStores } from '../server/resource-stores.ts';
import { ThreadPools } from '../workers/thread-pools.ts';
import type { ServerConfig } from './config/server-config.ts';
import { errorReport, type Environment } from './environment.ts';
import type { Backends } from './open-backends.ts';
import type { OpenParts } from './open-parts.ts';

/** The resources of a control plane with their stores, and what their writes need. */
export interface Registry {
  /** Loaded when the server starts: who follows objects sees each from the first one on. */
  readonly stores: ResourceStores;
  /** Finds one of them by its token. */
  readonly access: StoreAccess;
  readonly allocators: ServiceAllocators;
  readonly pools: ThreadPools;
}

/** Third step of a start: worker pools, the stores of all resources with their caches, allocators, hooks. */
export function openRegistry(
  config: ServerConfig,
  environment: Environment,
  backends: Backends,
  parts: OpenParts,
): Registry {
  const { storage, threads } = config;
  const onError = errorReport(environment);
  const pools = new ThreadPools({ workerFile: environment.workerFile, thresholds: threads });
  parts.add(() => pools.close());
  const stores = new ResourceStores({
    scheme: backends.resources,
    store: backends.stores.main,
    overrides: backends.stores.overrides,
    cache: storage.cache,
    mediaType: storage.mediaType,
    eventTtlSeconds: storage.eventTtlSeconds,
    collectsGarbage: storage.collectsGarbage,
    onError: (error) => onError(error, 'watch cache'),
  });
  parts.add(() => stores.stop());
  const { access } = stores;
  const allocators = openServiceAllocators(stores.main, access, config.services);
  stores.addHooks(
    services,
    serviceHooks({ stores: access, allocators, onError: (error) => onError(error, 'service allocation') }),
  );
  return { stores, access, allocators, pools };
}
