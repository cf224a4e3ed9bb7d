import { readFileSync } from 'node:fs';
import type { Scheme } from '../api/scheme.ts';
import { resourceKey } from '../api/resource.ts';
import type { OptionValues } from '../options/option.ts';
import { OptionsError, optionProblem } from '../options/options-error.ts';
import {
  EncryptionConfigurationError,
  parseEncryptionConfiguration,
  type ResourceEncryption,
} from '../storage/encryption/configuration.ts';
import type { DataKeyObserver } from '../storage/encryption/kms/data-key-observer.ts';
import { openEncryption, type Encryption } from '../storage/encryption/open-encryption.ts';
import type { Store } from '../storage/store.ts';
import type { Logger } from '../logging/logger.ts';

const OPTION = 'experimental-encryption-provider-config';

/** What options say of encryption at rest. */
export interface EncryptionConfig {
  readonly resources: readonly ResourceEncryption[];
  /** What stands before every key in the store, `/registry`. */
  readonly prefix: string;
}

/** Reads the file of the option; undefined where none is named. Throws `OptionsError`. */
export function readEncryptionConfig(options: OptionValues): EncryptionConfig | undefined {
  const file = options.string(OPTION);
  if (file === '') return undefined;
  return { resources: readConfiguration(file), prefix: options.string('store-prefix').replace(/\/+$/, '') };
}

/** Puts the configured encryption around the store; the store as it is where none is configured. */
export async function encryptAtRest(
  store: Store,
  config: EncryptionConfig | undefined,
  scheme: Scheme,
  logger: Logger,
  dataKeys: DataKeyObserver,
): Promise<Encryption> {
  if (config === undefined) return { store, kms: [] };
  return openEncryption(store, {
    configuration: config.resources,
    dataKeys,
    resourceAt: (path) => {
      const definition = scheme.forStoragePath(path);
      return definition === undefined ? undefined : resourceKey(definition);
    },
    isKnown: (resource) => scheme.named(resource) !== undefined,
    prefix: config.prefix,
    onUnknown: (resource) =>
      logger.warn('a resource that is to be encrypted is not known', { option: OPTION, resource }),
    onDecryptionError: (key, error) => logger.error('a stored value cannot be decrypted', { key, error }),
  });
}

function readConfiguration(file: string): ResourceEncryption[] {
  try {
    return parseEncryptionConfiguration(readFileSync(file, 'utf8'));
  } catch (error) {
    if (error instanceof EncryptionConfigurationError)
      throw new OptionsError(error.problems.map((problem) => optionProblem(OPTION, file, problem)));
    throw error;
  }
}
