import { builtInRegistry } from '../../api/built-in-registry.ts';
import { withoutFeatureFields } from '../../api/feature-fields.ts';
import type { AnyResource } from '../../api/resource-definition.ts';
import type { ResourceRegistry } from '../../api/resource-registry.ts';
import { withoutSubresource } from '../../api/without-subresource.ts';
import { FeatureGates, featureGates, type GateName } from '../../options/feature-gates.ts';
import { apiServerOptions } from '../../options/api-server-options.ts';
import { listKind, type OptionValues } from '../../options/option.ts';
import { withStorageVersions } from '../../registry/storage-versions.ts';
import type { ApiServerSettings } from '../../server/api-server.ts';
import { parseRuntimeConfig, withEnabledVersions } from '../../server/documents/enabled-resources.ts';
import type { CacheSettings } from '../../server/resource-stores.ts';
import type { ThreadThresholds } from '../../server/worker-pools.ts';
import { apiRelease } from '../../server/system/version.ts';
import { redactText } from '../../logging/redaction.ts';
import type { FeatureState } from '../../telemetry/server-metrics.ts';
import { storedResource } from './stored-resource.ts';

/** Memory for decoded objects and encoded answers where `--target-ram-mb` says nothing. */
const DEFAULT_RAM_MB = 192;
const LOG_DIR = '/var/log';

/** Names that fit nothing are passed over here: `readConfig` has reported them. */
export function serverSettings(options: OptionValues): ApiServerSettings {
  const gates = FeatureGates.of(options);
  return {
    host: options.string('bind-address'),
    port: options.int('secure-port'),
    deleteCollectionWorkers: options.int('delete-collection-workers'),
    minRequestTimeoutSeconds: options.int('min-request-timeout'),
    watchLimits: { watchesMax: options.int('max-watches-per-user'), bytesMax: options.int('max-watch-bytes-per-user') },
    limits: {
      requestTimeoutMs: options.timerMs('request-timeout'),
      inFlight: {
        readOnly: options.int('max-requests-inflight'),
        mutating: options.int('max-mutating-requests-inflight'),
      },
      fairly: options.bool('enable-priority-and-fairness'),
      corsOrigins: options.list('cors-allowed-origins'),
      strictTransport: options.list('strict-transport-security-directives'),
    },
    http2StreamsMax: options.int('http2-max-streams-per-connection'),
    goawayChance: options.float('goaway-chance'),
    profiling: options.bool('profiling') ? { contention: options.bool('contention-profiling') } : undefined,
    connectionBytesPerSecond: options.int('max-connection-bytes-per-sec'),
    logDir: options.bool('enable-logs-handler') ? LOG_DIR : undefined,
    emulatedMinor: emulatedMinor(options),
    flags: shownFlags(options),
    compressResponses: gates.enabled('APIResponseCompression'),
    listsInChunks: gates.enabled('APIListChunking'),
    policy: { allowPrivileged: options.bool('allow-privileged') },
    shutdownDelayMs: options.timerMs('shutdown-delay-duration'),
  };
}

/** From which size on work goes to a thread. */
export function threadThresholds(options: OptionValues): ThreadThresholds {
  return {
    patchThreadBytes: options.int('patch-thread-bytes'),
    yamlThreadBytes: options.int('yaml-thread-bytes'),
    encodeThreadBytes: options.int('encode-thread-bytes'),
  };
}

/** The last of `--emulated-version`; the server's own where there is none. */
function emulatedMinor(options: OptionValues): number {
  return Number(options.list('emulated-version').at(-1)?.split('.').at(-1) ?? apiRelease.minor);
}

/** Every feature gate as it is, for metrics. */
export function featureStates(options: OptionValues): readonly FeatureState[] {
  const gates = FeatureGates.of(options);
  return (Object.keys(featureGates) as GateName[]).map((name) => {
    const { stage } = featureGates[name];
    return { name, stage: stage === 'stable' ? '' : stage.toUpperCase(), isOn: gates.enabled(name) };
  });
}

/** Every option under each of its names. Files are named, not shown, and what looks like a credential is taken out. */
function shownFlags(options: OptionValues): ReadonlyMap<string, string> {
  return new Map(
    apiServerOptions.flatMap(({ name, aliases = [], type }) => {
      const text = redactText(options.string(name));
      const value = listKind({ type }) === 'no' || type.startsWith('map') ? text : `[${text}]`;
      return [name, ...aliases].filter((each) => each.length > 1).map((each): [string, string] => [each, value]);
    }),
  );
}

/** A registry of the built-in kinds as options make them, for one server. */
export function serverRegistry(options: OptionValues): ResourceRegistry {
  const gates = FeatureGates.of(options);
  return builtInRegistry((builtIn) => {
    const { enabled } = parseRuntimeConfig(options.pairs('runtime-config'), builtIn);
    return withEnabledVersions(withFeatures(builtIn, options, gates), enabled);
  });
}

/** The kinds as versions and features make them. */
function withFeatures(
  builtIn: readonly AnyResource[],
  options: OptionValues,
  gates: FeatureGates,
): readonly AnyResource[] {
  const { resources } = withStorageVersions(builtIn, options.list('storage-versions'));
  const served = gates.enabled('TokenRequest')
    ? resources
    : withoutSubresource(resources, '', 'serviceaccounts', 'token');
  return withoutFeatureFields(served, (gate) => gates.turnedOff(gate));
}

/** What is kept in memory. */
export function cacheSettings(options: OptionValues): CacheSettings {
  const sizes = new Map(
    options.list('watch-cache-sizes').flatMap((item): [string, number][] => {
      const resource = watchedResource(item);
      return resource === undefined ? [] : [[resource, Number(splitAtHash(item)[1])]];
    }),
  );
  const byDefault = options.int('default-watch-cache-size');
  const objectsMax = options.int('deserialization-cache-size');
  return {
    bytes: (options.int('target-ram-mb') || DEFAULT_RAM_MB) * 1024 * 1024,
    ...(objectsMax === 0 ? {} : { objectsMax }),
    history: options.bool('watch-cache') ? { sizes, byDefault } : { sizes: new Map(), byDefault: 0 },
  };
}

/** The name in the store of the resource in `resource[.group]#size`; undefined where there is no such resource. */
export function watchedResource(item: string): string | undefined {
  const [, resource, group = ''] = /^([^.]*)\.?(.*)$/.exec(splitAtHash(item)[0])!;
  return storedResource(group, resource!);
}

/** The two parts of `resource#value`. */
export function splitAtHash(item: string): readonly [name: string, value: string] {
  const hash = item.indexOf('#');
  return [item.slice(0, hash), item.slice(hash + 1)];
}
