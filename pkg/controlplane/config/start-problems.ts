import { builtInRegistry } from '../../api/built-in-registry.ts';
import { auditProblems } from '../../audit/build-audit.ts';
import type { OptionValues } from '../../options/option.ts';
import { optionProblem, OptionsError } from '../../options/options-error.ts';
import { withStorageVersions } from '../../registry/storage-versions.ts';
import { parseRuntimeConfig } from '../../server/documents/enabled-resources.ts';
import { nodeAgentSettings } from '../../server/connections/node-agent-settings.ts';
import { adminTokenProblems } from '../admin-token.ts';
import { encryptionProblems } from '../encryption-at-rest.ts';
import { accessControlProblems } from './access-control-problems.ts';
import { servingTlsProblems } from '../open-serving-tls.ts';
import { overriddenResource } from '../open-stores.ts';
import { splitAtHash, watchedResource } from './server-settings.ts';
import { OptionFiles, readText } from '../../authentication/authentication-settings.ts';
import { readAuthorities } from '../../authentication/client-certificate/authorities.ts';
import { readKeyPair } from '../../server/tls/key-pair-files.ts';

/**
 * Looks at options, and at the files that they name, before anything is opened; gives problems in the form of
 * `OptionsError`.
 */
export type StartCheck = (options: OptionValues) => readonly string[];

/** Every check that needs more than the table of options knows: of the API's resources, or of what is in a file. */
const startChecks: readonly StartCheck[] = [
  runtimeConfig,
  storageVersions,
  watchCacheSizes,
  serversOverrides,
  storeTlsProblems,
  encryptionProblems,
  servingTlsProblems,
  adminTokenProblems,
  accessControlProblems,
  auditProblems,
  nodeAgentProblems,
];

/** The problems of a start that can be found without starting; reported together with those of the table. */
export function startProblems(options: OptionValues): string[] {
  return startChecks.flatMap((check) => check(options));
}

function runtimeConfig(options: OptionValues): string[] {
  return parseRuntimeConfig(options.pairs('runtime-config'), builtInRegistry().resources).problems.map(([pair, rule]) =>
    optionProblem('runtime-config', pair, rule),
  );
}

function storageVersions(options: OptionValues): string[] {
  return withStorageVersions(builtInRegistry().resources, options.list('storage-versions')).problems.map(
    ([item, rule]) => optionProblem('storage-versions', item, rule),
  );
}

function watchCacheSizes(options: OptionValues): string[] {
  return options
    .list('watch-cache-sizes')
    .filter((item) => watchedResource(item) === undefined)
    .map((item) => optionProblem('watch-cache-sizes', item, `no such resource: ${splitAtHash(item)[0]}`));
}

function serversOverrides(options: OptionValues): string[] {
  return options
    .list('store-servers-overrides')
    .filter((item) => overriddenResource(item) === undefined)
    .map((item) => optionProblem('store-servers-overrides', item, `no such resource: ${splitAtHash(item)[0]}`));
}

function nodeAgentProblems(options: OptionValues): readonly string[] {
  try {
    nodeAgentSettings(options);
    return [];
  } catch (error) {
    if (error instanceof OptionsError) return error.problems;
    throw error;
  }
}

/** What is wrong with the files for TLS to storage servers, whether or not any server has TLS. */
function storeTlsProblems(options: OptionValues): readonly string[] {
  const files = new OptionFiles(options);
  files.use('store-cafile', (file) => readAuthorities(readText(file)));
  const keyFile = options.string('store-keyfile');
  if (keyFile !== '') files.use('store-certfile', (certFile) => readKeyPair({ certFile, keyFile }));
  return files.problems;
}
