import path from 'node:path';
import { readAuthorities } from '../../authentication/client-certificate/authorities.ts';
import { OptionFiles, readText } from '../../authentication/option-files.ts';
import type { OptionValues } from '../../options/option.ts';
import { optionProblem, OptionsError } from '../../options/options-error.ts';
import { readKeyPair } from '../../server/tls/key-pair-files.ts';
import type { OpenStoreOptions } from '../../storage/open-store.ts';
import { storedResource } from './stored-resource.ts';

/** Where objects are kept. */
export interface StoresConfig {
  /** Of what has no servers of its own. */
  readonly main: StoreConfig;
  readonly overrides: readonly ResourceOverride[];
  /** The same for all of them. */
  readonly shared: Pick<OpenStoreOptions, 'prefix' | 'certFiles' | 'compactionIntervalMs'>;
}

type StoreConfig =
  | { readonly backend: 'embedded'; readonly dataDir: string; readonly durable?: boolean }
  | { readonly backend: 'etcd3'; readonly servers: readonly string[] };

/** A resource with servers of its own. */
interface ResourceOverride {
  /** By the name of its cache, `deployments.apps`. */
  readonly resource: string;
  readonly servers: readonly string[];
}

const OVERRIDES = 'store-servers-overrides';

/**
 * `dataDir`: the embedded store is in `store` below; `durable`: its writes outlast the machine. Throws `OptionsError`
 * for unknown resources, and for files.
 */
export function readStoresConfig(options: OptionValues, dataDir: string, durable = true): StoresConfig {
  const overrides: ResourceOverride[] = [];
  const problems: string[] = [];
  for (const item of options.list(OVERRIDES)) {
    const override = overriddenResource(item);
    if (override !== undefined) overrides.push(override);
    else problems.push(optionProblem(OVERRIDES, item, `no such resource: ${item.slice(0, item.indexOf('#'))}`));
  }
  problems.push(...tlsProblems(options));
  if (problems.length > 0) throw new OptionsError(problems);
  return {
    main:
      options.string('storage-backend') === 'embedded'
        ? { backend: 'embedded', dataDir: path.join(dataDir, 'store'), durable }
        : { backend: 'etcd3', servers: options.list('store-servers') },
    overrides,
    shared: {
      prefix: options.string('store-prefix'),
      certFiles: certFiles(options),
      compactionIntervalMs: options.timerMs('store-compaction-interval'),
    },
  };
}

/**
 * Reads `group/resource#server;server`; undefined where there is no such resource. A group may be any in which the
 * resource is served.
 */
export function overriddenResource(item: string): ResourceOverride | undefined {
  const [, group = '', resource = '', servers = ''] = /^([^/#]*)\/([^/#]+)#(.+)$/.exec(item) ?? [];
  const stored = storedResource(group, resource);
  return stored === undefined
    ? undefined
    : { resource: stored, servers: servers.split(';').map((server) => server.trim()) };
}

/** What is wrong with the files for TLS to storage servers, whether or not any server has TLS. */
function tlsProblems(options: OptionValues): readonly string[] {
  const files = new OptionFiles(options);
  files.use('store-cafile', (file) => readAuthorities(readText(file)));
  const keyFile = options.string('store-keyfile');
  if (keyFile !== '') files.use('store-certfile', (certFile) => readKeyPair({ certFile, keyFile }));
  return files.problems;
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
