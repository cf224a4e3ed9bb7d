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
import type { PrefixedTransformer } from './prefixed-transformers.ts';
import { isPattern, ResourceRules } from './resource-rules.ts';
import { secretbox } from './secretbox.ts';
import type { ValueTransformer } from './value-transformer.ts';

export interface EncryptionOptions {
  readonly configuration: readonly ResourceEncryption[];
  /** The resource whose objects are stored below a path, at present: `services` for `services/specs`. */
  readonly resourceAt: (path: string) => string | undefined;
  /** Whether there is such a resource at present. */
  readonly isKnown: (resource: string) => boolean;
  /** The prefix of every key in the store, `/registry`. */
  readonly prefix: string;
  readonly onDecryptionError: (key: string, error: unknown) => void;
  /** Called with resources that do not exist yet: they may be added later, or be misspelt. */
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

/** Puts the configured encryption around a store, also for resources that come later. */
export async function openEncryption(store: Store, options: EncryptionOptions): Promise<Encryption> {
  const kms: KmsProvider[] = [];
  const rules = new ResourceRules();
  for (const { resources, providers } of options.configuration) {
    const inOrder: PrefixedTransformer[] = [];
    for (const provider of providers) inOrder.push(...(await transformersOf(provider, kms, options.dataKeys)));
    for (const resource of resources) {
      rules.add(resource, inOrder);
      if (!isPattern(resource) && !options.isKnown(resource)) options.onUnknown?.(resource);
    }
  }
  const encrypted = new EncryptedStore(store, {
    transformers: {
      get(path) {
        const resource = options.resourceAt(path);
        return resource === undefined ? undefined : rules.of(resource);
      },
    },
    prefix: options.prefix,
    onDecryptionError: options.onDecryptionError,
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
