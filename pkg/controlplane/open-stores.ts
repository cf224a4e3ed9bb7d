import path from 'node:path';
import type { OptionValues } from '../options/option.ts';
import type { ObservedStoreOptions } from '../storage/observed-store.ts';
import { openStore, type OpenStoreOptions } from '../storage/open-store.ts';
import type { Store, StoreSize } from '../storage/store.ts';
import { storedResource } from './config/stored-resource.ts';

export interface OpenedStores {
  /** Where everything is that has no servers of its own. */
  readonly main: Store;
  /** By resource (`events`); resources with the same servers have the same store. */
  readonly overrides: ReadonlyMap<string, Store>;
  /** Of all of them, per server that answers within `timeoutMs`. */
  sizes(timeoutMs: number): Promise<readonly StoreSize[]>;
  close(): Promise<void>;
}

export interface OpenStoresSettings {
  /** The embedded store is in `store` below. */
  readonly dir: string;
  readonly observer: ObservedStoreOptions;
  /** Called with warnings for the operator. */
  readonly warn?: (message: string) => void;
  /** Puts what every store needs around it, such as encryption. */
  readonly around?: (store: Store) => Promise<Store>;
}

/** Opens the stores that the options name. Throws `StoreUnavailableError` when they cannot work. */
export async function openStores(options: OptionValues, settings: OpenStoresSettings): Promise<OpenedStores> {
  const { observer, warn, dir, around = (store) => Promise.resolve(store) } = settings;
  const etcd = (servers: readonly string[]): OpenStoreOptions => ({
    backend: 'etcd3',
    servers,
    prefix: options.string('store-prefix'),
    certFiles: certFiles(options),
    compactionIntervalMs: options.timerMs('store-compaction-interval'),
    observer,
    ...(warn && { warn }),
  });
  const embedded = options.string('storage-backend') === 'embedded';
  const main = await around(
    await openStore(
      embedded
        ? { ...etcd([]), backend: 'embedded', dataDir: path.join(dir, 'store') }
        : etcd(options.list('store-servers')),
    ),
  );
  const opened = new Map<string, Store>();
  const overrides = new Map<string, Store>();
  for (const item of options.list('store-servers-overrides')) {
    const override = overriddenResource(item);
    if (override === undefined) continue;
    const servers = override.servers.join(';');
    const store = opened.get(servers) ?? (await around(await openStore(etcd(override.servers))));
    opened.set(servers, store);
    overrides.set(override.resource, store);
  }
  const all = [main, ...opened.values()];
  return {
    main,
    overrides,
    sizes: (timeoutMs) => sizesOf(all, timeoutMs),
    close: async () => void (await Promise.all(all.map((store) => store.close()))),
  };
}

/** Once per server, whatever it is the server of. */
async function sizesOf(stores: readonly Store[], timeoutMs: number): Promise<readonly StoreSize[]> {
  const sizes = (await Promise.all(stores.map((store) => store.sizes?.(timeoutMs) ?? []))).flat();
  return [...new Map(sizes.map((size) => [size.endpoint, size])).values()];
}

/**
 * Reads `group/resource#server;server`; undefined where there is no such resource. A group may be any in which the
 * resource is served.
 */
export function overriddenResource(
  item: string,
): { readonly resource: string; readonly servers: readonly string[] } | undefined {
  const [, group = '', resource = '', servers = ''] = /^([^/#]*)\/([^/#]+)#(.+)$/.exec(item) ?? [];
  const stored = storedResource(group, resource);
  return stored === undefined
    ? undefined
    : { resource: stored, servers: servers.split(';').map((server) => server.trim()) };
}

function certFiles(options: OptionValues): OpenStoreOptions['certFiles'] {
  const named = (key: 'caFile' | 'certFile' | 'keyFile', option: string): object =>
    options.string(option) === '' ? {} : { [key]: options.string(option) };
  return {
    ...named('caFile', 'store-cafile'),
    ...named('certFile', 'store-certfile'),
    ...named('keyFile', 'store-keyfile'),
  };
}
