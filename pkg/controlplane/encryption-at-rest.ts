import { readFileSync } from 'node:fs';
import type { Scheme } from '../api/scheme.ts';
import { resourceKey } from '../api/resource.ts';
import { GatheredProblems } from '../options/gathered-problems.ts';
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

/**
 * Puts the configured encryption around the store; the store as it is where none is configured. Throws OptionsError.
 */
export async function encryptAtRest(
  store: Store,
  options: OptionValues,
  scheme: Scheme,
  logger: Logger,
  dataKeys: DataKeyObserver,
): Promise<Encryption> {
  const file = options.string(OPTION);
  if (file === '') return { store, kms: [] };
  return openEncryption(store, {
    configuration: readConfiguration(file),
    dataKeys,
    resourceAt: (path) => {
      const definition = scheme.forStoragePath(path);
      return definition === undefined ? undefined : resourceKey(definition);
    },
    isKnown: (resource) => scheme.named(resource) !== undefined,
    prefix: options.string('store-prefix').replace(/\/+$/, ''),
    onUnknown: (resource) =>
      logger.warn('a resource that is to be encrypted is not known', { option: OPTION, resource }),
    onDecryptionError: (key, error) => logger.error('a stored value cannot be decrypted', { key, error }),
  });
}

/** What is wrong with the configuration, in the form of `OptionsError`. */
export function encryptionProblems(options: OptionValues): readonly string[] {
  const file = options.string(OPTION);
  const gathered = new GatheredProblems();
  if (file !== '') gathered.attempt(() => readConfiguration(file));
  return gathered.problems;
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
