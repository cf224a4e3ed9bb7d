import type { Store } from '../store.ts';
import { aesCbc } from './aes-cbc.ts';
import { aesGcm } from './aes-gcm.ts';
import type { ResourceEncryption } from './configuration.ts';
import type { ProviderSettings } from './provider-settings.ts';
import { EncryptedStore } from './encrypted-store.ts';
import { identity } from './identity.ts';
import type { DataKeyObserver } from './kms/data-key-observer.ts';
import type { KmsProvider } from './kms/kms-provider.ts';
import { rememberedCheck } from './kms/remembered-check.ts';
import { PrefixedTransformers, type PrefixedTransformer } from './prefixed-transformers.ts';
import { secretbox } from './secretbox.ts';
import type { ValueTransformer } from './value-transformer.ts';

export interface EncryptionOptions {
  readonly configuration: readonly ResourceEncryption[];
  /** Where a resource is stored, `services/specs`; undefined for resources that are not. */
  readonly storagePathOf: (resource: string) => string | undefined;
  /** What stands before every key in the store, `/registry`. */
  readonly prefix: string;
  readonly onUnopened: (key: string, error: unknown) => void;
  /** Told of resources that are not stored here: a misspelt one stays unencrypted. */
  readonly onUnknown?: (resource: string) => void;
  readonly dataKeys?: DataKeyObserver;
}

/** A store with encryption at rest, and the key services that it depends on. */
export interface Encryption {
  readonly store: Store;
  /** For the health of the server, in the order of the configuration. */
  readonly kms: readonly KmsProvider[];
}

const keyed = { aescbc: aesCbc, aesgcm: aesGcm, secretbox } as const satisfies Record<
  string,
  (key: Uint8Array) => ValueTransformer
>;

/**
 * Puts the configured encryption around a store. A resource of several entries has the providers of all of them, in
 * order.
 */
export async function openEncryption(store: Store, options: EncryptionOptions): Promise<Encryption> {
  const kms: KmsProvider[] = [];
  const byPath = new Map<string, PrefixedTransformer[]>();
  for (const { resources, providers } of options.configuration) {
    const inOrder: PrefixedTransformer[] = [];
    for (const provider of providers) inOrder.push(...(await transformersOf(provider, kms, options.dataKeys)));
    for (const resource of resources) {
      const path = options.storagePathOf(resource);
      if (path === undefined) options.onUnknown?.(resource);
      else byPath.set(path, [...(byPath.get(path) ?? []), ...inOrder]);
    }
  }
  const transformers = new Map([...byPath].map(([path, inOrder]) => [path, new PrefixedTransformers(inOrder)]));
  const encrypted = new EncryptedStore(store, {
    transformers,
    prefix: options.prefix,
    onUnopened: options.onUnopened,
    onClose: () => kms.forEach((provider) => provider.close()),
  });
  return { store: encrypted, kms };
}

async function transformersOf(
  provider: ProviderSettings,
  kms: KmsProvider[],
  dataKeys: DataKeyObserver | undefined,
): Promise<PrefixedTransformer[]> {
  if (provider.type === 'identity') return [{ prefix: '', transformer: identity }];
  if (provider.type !== 'kms') {
    return provider.keys.map(({ name, secret }) => ({
      prefix: `k8s:enc:${provider.type}:v1:${name}:`,
      transformer: keyed[provider.type](secret),
    }));
  }
  // Loaded only when configured: gRPC takes as long to load as a small server takes to start.
  const { openKmsProvider } = await import('./kms/open-kms-provider.ts');
  const opened = openKmsProvider(provider.kms, dataKeys);
  kms.push({ ...opened, check: rememberedCheck(() => opened.check()) });
  return [{ prefix: `k8s:enc:kms:v${provider.kms.version}:${provider.kms.name}:`, transformer: opened.transformer }];
}
