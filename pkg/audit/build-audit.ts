import { rateLimitedLog } from '../apimachinery/rate-limited-log.ts';
import { readFileSync } from 'node:fs';
import { steadyMs } from '../apimachinery/steady-clock.ts';
import { ClusterConfigError, readClusterConfig, type ClusterConfig } from '../client/cluster-config.ts';
import { webhookRetry } from '../webhooks/retry-settings.ts';
import { WebhookClient } from '../webhooks/webhook-client.ts';
import { FeatureGates } from '../options/feature-gates.ts';
import type { OptionValues } from '../options/option.ts';
import { optionProblem, OptionsError } from '../options/options-error.ts';
import { fileErrorText } from '../options/readable-file.ts';
import type { AuditBackend, AuditSink } from './audit-backend.ts';
import type { AuditObserver } from './audit-observer.ts';
import { Auditor } from './auditor.ts';
import { BatchingBackend } from './batch/batching-backend.ts';
import { BlockingBackend } from './blocking-backend.ts';
import type { Delivery } from './deliver.ts';
import type { AuditVersion, EventFormat } from './events/event-format.ts';
import { EventSerializer, type SerializeElsewhere } from './events/event-serializer.ts';
import { LogFile, prepareLogFile } from './log/log-file.ts';
import { StandardOutput } from './log/standard-output.ts';
import type { AuditPolicy } from './policy/policy.ts';
import { PolicyIndex } from './policy/policy-index.ts';
import { AuditPolicyError, readPolicy } from './policy/read-policy.ts';
import { WebhookSink } from './webhook/webhook-sink.ts';

export interface AuditSettings {
  readonly options: OptionValues;
  readonly observer: AuditObserver;
  /** Serializes large batches on a thread. */
  readonly serialize: SerializeElsewhere;
  /** Writes messages to the server's log. */
  readonly report: (message: string) => void;
  readonly nowMs: () => number;
}

const POLICY_FILE = 'audit-policy-file';
const LOG_PATH = 'audit-log-path';
const WEBHOOK_FILE = 'audit-webhook-config-file';

const MEGABYTE = 1024 * 1024;
const LOG_MEGABYTES = 100;
/** Bytes written to a file at once: files are rotated between writes, and never exceed their limit. */
const LOG_PART_BYTES = MEGABYTE;
const CALL_TIMEOUT_MS = 30_000;
/** Batches in flight to a slow service at a time. */
const WEBHOOK_UNDER_WAY_MAX = 4;
/** Events in flight to a blocking sink at a time; the size of the buffer is for batches alone. */
const BLOCKING_UNDER_WAY_MAX = 10_000;
/** Time to flush pending events when the server stops. */
const CLOSE_MS = 10_000;

/** Everything is recorded at the end of the request, as before policies existed. */
const withoutPolicy: AuditPolicy = {
  rules: [
    {
      level: 'Metadata',
      users: [],
      userGroups: [],
      verbs: [],
      resources: [],
      namespaces: [],
      nonResourceUrls: [],
      omitStages: [],
      omitManagedFields: undefined,
    },
  ],
  omitStages: ['RequestReceived', 'ResponseStarted'],
  omitManagedFields: false,
};

/**
 * The auditor that the options configure; undefined where nothing is audited: auditing needs a policy (unless the
 * feature AdvancedAuditing is off) and a log or a webhook. Throws `OptionsError` for files that cannot be used.
 */
export function buildAudit(settings: AuditSettings): Auditor | undefined {
  const { options, observer } = settings;
  const problems = auditProblems(options);
  if (problems.length > 0) throw new OptionsError(problems);
  const policy = policyOf(options);
  if (policy === undefined) return undefined;
  const backends = [logBackend(settings), webhookBackend(settings)].filter((backend) => backend !== undefined);
  if (backends.length === 0) return undefined;
  const blocking = backends.some((backend) => backend instanceof BlockingBackend);
  return new Auditor({ policy: new PolicyIndex(policy), backends, blocking, observer });
}

/** Errors of the files that options name, as `OptionsError` has them. Opens and writes nothing. */
export function auditProblems(options: OptionValues): string[] {
  const problems: string[] = [];
  for (const [option, read] of [
    [POLICY_FILE, () => policyOf(options)],
    [WEBHOOK_FILE, () => webhookConfig(options)],
  ] as const) {
    try {
      read();
    } catch (error) {
      problems.push(...wordsOf(error).map((words) => optionProblem(option, options.string(option), words)));
    }
  }
  return problems;
}

function wordsOf(error: unknown): readonly string[] {
  return error instanceof AuditPolicyError || error instanceof ClusterConfigError
    ? error.problems
    : [fileErrorText(error)];
}

function policyOf(options: OptionValues): AuditPolicy | undefined {
  if (!FeatureGates.of(options).enabled('AdvancedAuditing')) return withoutPolicy;
  const file = options.string(POLICY_FILE);
  return file === '' ? undefined : readPolicy(readFileSync(file, 'utf8'));
}

function webhookConfig(options: OptionValues): ClusterConfig | undefined {
  const file = options.string(WEBHOOK_FILE);
  return file === '' ? undefined : readClusterConfig(file);
}

function logBackend(settings: AuditSettings): AuditBackend | undefined {
  const { options } = settings;
  const path = options.string(LOG_PATH);
  if (path === '') return undefined;
  const report = rateLimitedLog((message) => settings.report(`audit log: ${message}`), steadyMs);
  const sink = path === '-' ? new StandardOutput() : logFile(settings, path, report);
  const serializer = new EventSerializer({
    format: logFormat(options),
    partBytesMax: LOG_PART_BYTES,
    ...truncation(options, 'log'),
    elsewhere: settings.serialize,
    report,
  });
  return inMode(settings, 'log', { plugin: 'log', sink, serializer, observer: settings.observer, report }, 1);
}

function logFile({ options, nowMs }: AuditSettings, file: string, report: (message: string) => void): AuditSink {
  try {
    prepareLogFile(file);
  } catch (error) {
    throw new OptionsError([optionProblem(LOG_PATH, file, `cannot be written: ${(error as Error).message}`)]);
  }
  const retention = {
    ageDaysMax: options.int('audit-log-maxage'),
    filesMax: options.int('audit-log-maxbackup'),
    compress: options.bool('audit-log-compress'),
  };
  return new LogFile({
    file,
    bytesMax: (options.int('audit-log-maxsize') || LOG_MEGABYTES) * MEGABYTE,
    retention,
    nowMs,
    report,
  });
}

function logFormat(options: OptionValues): EventFormat {
  if (!FeatureGates.of(options).enabled('AdvancedAuditing')) return { kind: 'request-lines' };
  return options.string('audit-log-format') === 'legacy'
    ? { kind: 'legacy' }
    : { kind: 'lines', version: versionOf(options, 'log') };
}

function webhookBackend(settings: AuditSettings): AuditBackend | undefined {
  const { options } = settings;
  const config = webhookConfig(options);
  if (config === undefined) return undefined;
  const report = rateLimitedLog((message) => settings.report(`audit webhook: ${message}`), steadyMs);
  const sink = new WebhookSink({
    client: new WebhookClient({
      config,
      certificates: settings.observer.webhookCertificates,
      timeoutMs: CALL_TIMEOUT_MS,
    }),
    retry: { ...webhookRetry, initialMs: options.timerMs('audit-webhook-initial-backoff') },
  });
  const serializer = new EventSerializer({
    format: { kind: 'list', version: versionOf(options, 'webhook') },
    partBytesMax: Number.POSITIVE_INFINITY,
    ...truncation(options, 'webhook'),
    elsewhere: settings.serialize,
    report,
  });
  return inMode(
    settings,
    'webhook',
    { plugin: 'webhook', sink, serializer, observer: settings.observer, report },
    WEBHOOK_UNDER_WAY_MAX,
  );
}

type Sink = 'log' | 'webhook';

function inMode({ options, nowMs }: AuditSettings, sink: Sink, delivery: Delivery, inFlightMax: number): AuditBackend {
  const mode = options.string(`audit-${sink}-mode`);
  if (mode !== 'batch')
    return new BlockingBackend(delivery, {
      strict: mode === 'blocking-strict',
      inFlightMax: BLOCKING_UNDER_WAY_MAX,
      closeMs: CLOSE_MS,
    });
  const bufferSize = options.int(`audit-${sink}-batch-buffer-size`);
  const throttle = {
    perSecond: options.float(`audit-${sink}-batch-throttle-qps`),
    burst: options.int(`audit-${sink}-batch-throttle-burst`),
  };
  return new BatchingBackend(delivery, {
    bufferSize,
    inFlightMax,
    nowMs,
    closeMs: CLOSE_MS,
    // A batch that the buffer cannot hold would never be full.
    maxSize: Math.min(options.int(`audit-${sink}-batch-max-size`), bufferSize),
    maxWaitMs: options.timerMs(`audit-${sink}-batch-max-wait`),
    ...(options.bool(`audit-${sink}-batch-throttle-enable`) ? { throttle } : {}),
  });
}

function versionOf(options: OptionValues, sink: Sink): AuditVersion {
  return options.string(`audit-${sink}-version`) as AuditVersion;
}

function truncation(
  options: OptionValues,
  sink: Sink,
): Pick<ConstructorParameters<typeof EventSerializer>[0], 'truncate'> {
  if (!options.bool(`audit-${sink}-truncate-enabled`)) return {};
  return {
    truncate: {
      batchBytesMax: options.int(`audit-${sink}-truncate-max-batch-size`),
      eventBytesMax: options.int(`audit-${sink}-truncate-max-event-size`),
    },
  };
}
