import { FeatureGates, featureGates, type GateName } from '../../options/feature-gates.ts';
import { apiServerOptions } from '../../options/api-server-options.ts';
import { listKind, type OptionValues } from '../../options/option.ts';
import type { ApiServerSettings } from '../../server/api-server.ts';
import type { ThreadThresholds } from '../../server/worker-pools.ts';
import { apiRelease } from '../../server/system/version.ts';
import { redactText } from '../../logging/redaction.ts';
import type { FeatureState } from '../../telemetry/metrics/program-families.ts';

const LOG_DIR = '/var/log';

/** What options say of the server's insides. */
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
export function emulatedMinor(options: OptionValues): number {
  return Number(options.list('emulated-version').at(-1)?.split('.').at(-1) ?? apiRelease.minor);
}

/** Every feature gate as it is, for metrics. */
export function featureStates(gates: FeatureGates): readonly FeatureState[] {
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
