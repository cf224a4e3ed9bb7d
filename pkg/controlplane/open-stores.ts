import type { KmsProvider } from '../storage/encryption/kms/kms-provider.ts';
import type { Encryption } from '../storage/encryption/open-encryption.ts';
import type { ObservedStoreOptions } from '../storage/observed-store.ts';
import { openStore, type OpenStoreOptions } from '../storage/open-store.ts';
import type { Store, StoreSize } from '../storage/store.ts';
import type { StoresConfig } from './config/stores-config.ts';
import { OpenParts } from './open-parts.ts';

export interface OpenedStores {
  /** Where everything is that has no servers of its own. */
  readonly main: Store;
  /** By resource (`events`); resources with the same servers have the same store. */
  readonly overrides: ReadonlyMap<string, Store>;
  /** Services that keep keys of encryption, in the order of the configuration. */
  readonly kms: readonly KmsProvider[];
  /** Of all of them, per server that answers within `timeoutMs`. */
  sizes(timeoutMs: number): Promise<readonly StoreSize[]>;
  close(): Promise<void>;
}

export interface OpenStoresSettings {
  readonly observer: ObservedStoreOptions;
  /** Called with warnings for the operator. */
  readonly warn: (message: string) => void;
  /** Puts encryption around a store. */
  readonly encrypt: (store: Store) => Promise<Encryption>;
}

/** Opens the stores of the configuration. Throws `StoreUnavailableError` when they cannot work. */
export async function openStores(
  { main: mainConfig, overrides: overridden, shared }: StoresConfig,
  { observer, warn, encrypt }: OpenStoresSettings,
): Promise<OpenedStores> {
  const parts = new OpenParts();
  const kms: KmsProvider[] = [];
  const open = async (options: OpenStoreOptions): Promise<Store> => {
    const plain = await openStore({ ...shared, ...options, observer, warn });
    let outer = plain;
    parts.add(() => outer.close());
    const encryption = await encrypt(plain);
    kms.push(...encryption.kms);
    return (outer = encryption.store);
  };
  try {
    const main = await open(mainConfig);
    const opened = new Map<string, Store>();
    for (const { servers } of overridden) {
      const key = servers.join(';');
      if (!opened.has(key)) opened.set(key, await open({ backend: 'etcd3', servers }));
    }
    return {
      main,
      overrides: new Map(overridden.map(({ resource, servers }) => [resource, opened.get(servers.join(';'))!])),
      kms,
      sizes: (timeoutMs) => sizesOf([main, ...opened.values()], timeoutMs),
      close: () => closeAll(parts),
    };
  } catch (error) {
    // Why it cannot be opened says more than what cannot be closed then.
    await parts.close();
    throw error;
  }
}

/** Throws the first failure, once everything is closed. */
async function closeAll(parts: OpenParts): Promise<void> {
  const [failure] = await parts.close();
  if (failure !== undefined) throw failure;
}

/** Once per server, whatever it is the server of. */
async function sizesOf(stores: readonly Store[], timeoutMs: number): Promise<readonly StoreSize[]> {
  const sizes = (await Promise.all(stores.map((store) => store.sizes?.(timeoutMs) ?? []))).flat();
  return [...new Map(sizes.map((size) => [size.endpoint, size])).values()];
}
