import { readFileSync } from 'node:fs';
import { ClusterConfigError, readClusterConfig, type ClusterConfig } from '../client/cluster-config.ts';
import { FeatureGates } from '../options/feature-gates.ts';
import type { OptionValues } from '../options/option.ts';
import { optionProblem, OptionsError } from '../options/options-error.ts';
import { fileErrorText } from '../options/readable-file.ts';
import type { BatchSettings } from './batch/batching-backend.ts';
import type { AuditVersion, EventFormat } from './events/event-format.ts';
import type { TruncationLimits } from './events/serialize-batch.ts';
import type { Retention } from './log/old-files.ts';
import type { AuditPolicy } from './policy/policy.ts';
import { AuditPolicyError, readPolicy } from './policy/read-policy.ts';

/** What is written down, and where: plain data. */
export interface AuditConfig {
  readonly policy: AuditPolicy;
  readonly log: AuditLogConfig | undefined;
  readonly webhook: AuditWebhookConfig | undefined;
}

/** What the log and the webhook have in common. */
interface SinkConfig {
  readonly format: EventFormat;
  /** Absent: events are never shortened. */
  readonly truncate: TruncationLimits | undefined;
  readonly mode: 'batch' | 'blocking' | 'blocking-strict';
  /** Of the mode `batch`. */
  readonly batch: Pick<BatchSettings, 'bufferSize' | 'maxSize' | 'maxWaitMs' | 'throttle'>;
}

export interface AuditLogConfig extends SinkConfig {
  /** `-`: standard output. */
  readonly path: string;
  readonly bytesMax: number;
  readonly retention: Retention;
}

export interface AuditWebhookConfig extends SinkConfig {
  readonly service: ClusterConfig;
  readonly initialBackoffMs: number;
}

const POLICY_FILE = 'audit-policy-file';
const LOG_PATH = 'audit-log-path';
const WEBHOOK_FILE = 'audit-webhook-config-file';

const MEGABYTE = 1024 * 1024;
const LOG_MEGABYTES = 100;

/** Everything is written down when it is over, as it was before there were policies. */
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
 * What the options say of auditing; undefined where nothing is written down, for which it takes a policy (unless the
 * feature AdvancedAuditing is off) and a log or a webhook. Throws `OptionsError` with all that is wrong with the files.
 */
export function readAuditConfig(options: OptionValues): AuditConfig | undefined {
  const problems: string[] = [];
  const read = <T>(option: string, from: () => T): T | undefined => {
    try {
      return from();
    } catch (error) {
      problems.push(...wordsOf(error).map((words) => optionProblem(option, options.string(option), words)));
      return undefined;
    }
  };
  const policy = read(POLICY_FILE, () => policyOf(options));
  const service = read(WEBHOOK_FILE, () => webhookService(options));
  if (problems.length > 0) throw new OptionsError(problems);
  const log = options.string(LOG_PATH) === '' ? undefined : logConfig(options);
  if (policy === undefined || (log === undefined && service === undefined)) return undefined;
  return { policy, log, webhook: service === undefined ? undefined : webhookConfig(options, service) };
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

function webhookService(options: OptionValues): ClusterConfig | undefined {
  const file = options.string(WEBHOOK_FILE);
  return file === '' ? undefined : readClusterConfig(file);
}

function logConfig(options: OptionValues): AuditLogConfig {
  return {
    ...sinkConfig(options, 'log'),
    format: logFormat(options),
    path: options.string(LOG_PATH),
    bytesMax: (options.int('audit-log-maxsize') || LOG_MEGABYTES) * MEGABYTE,
    retention: {
      ageDaysMax: options.int('audit-log-maxage'),
      filesMax: options.int('audit-log-maxbackup'),
      compress: options.bool('audit-log-compress'),
    },
  };
}

function logFormat(options: OptionValues): EventFormat {
  if (!FeatureGates.of(options).enabled('AdvancedAuditing')) return { kind: 'request-lines' };
  return options.string('audit-log-format') === 'legacy'
    ? { kind: 'legacy' }
    : { kind: 'lines', version: options.string('audit-log-version') as AuditVersion };
}

function webhookConfig(options: OptionValues, service: ClusterConfig): AuditWebhookConfig {
  return {
    ...sinkConfig(options, 'webhook'),
    format: { kind: 'list', version: options.string('audit-webhook-version') as AuditVersion },
    service,
    initialBackoffMs: options.timerMs('audit-webhook-initial-backoff'),
  };
}

function sinkConfig(options: OptionValues, sink: 'log' | 'webhook'): Omit<SinkConfig, 'format'> {
  const bufferSize = options.int(`audit-${sink}-batch-buffer-size`);
  const throttle = {
    perSecond: options.float(`audit-${sink}-batch-throttle-qps`),
    burst: options.int(`audit-${sink}-batch-throttle-burst`),
  };
  const truncate = {
    batchBytesMax: options.int(`audit-${sink}-truncate-max-batch-size`),
    eventBytesMax: options.int(`audit-${sink}-truncate-max-event-size`),
  };
  return {
    truncate: options.bool(`audit-${sink}-truncate-enabled`) ? truncate : undefined,
    mode: options.string(`audit-${sink}-mode`) as SinkConfig['mode'],
    batch: {
      bufferSize,
      // A batch that the buffer cannot hold would never be full.
      maxSize: Math.min(options.int(`audit-${sink}-batch-max-size`), bufferSize),
      maxWaitMs: options.timerMs(`audit-${sink}-batch-max-wait`),
      ...(options.bool(`audit-${sink}-batch-throttle-enable`) ? { throttle } : {}),
    },
  };
}
