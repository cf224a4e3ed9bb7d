import { rateLimitedLog } from '../apimachinery/rate-limited-log.ts';
import { steadyMs } from '../apimachinery/steady-clock.ts';
import { optionProblem, OptionsError } from '../options/options-error.ts';
import { webhookRetry } from '../webhooks/retry-settings.ts';
import { WebhookClient } from '../webhooks/webhook-client.ts';
import type { AuditBackend, AuditSink } from './audit-backend.ts';
import type { AuditConfig, AuditLogConfig, AuditWebhookConfig } from './audit-config.ts';
import type { AuditObserver } from './audit-observer.ts';
import { Auditor } from './auditor.ts';
import { BatchingBackend } from './batch/batching-backend.ts';
import { BlockingBackend } from './blocking-backend.ts';
import type { Delivery } from './deliver.ts';
import { EventSerializer, type SerializeElsewhere } from './events/event-serializer.ts';
import { LogFile, prepareLogFile } from './log/log-file.ts';
import { StandardOutput } from './log/standard-output.ts';
import { PolicyIndex } from './policy/policy-index.ts';
import { WebhookSink } from './webhook/webhook-sink.ts';

export interface AuditParts {
  readonly observer: AuditObserver;
  /** Serializes large batches on a thread. */
  readonly serialize: SerializeElsewhere;
  /** Writes messages to the server's log. */
  readonly report: (message: string) => void;
  readonly nowMs: () => number;
}

/** Bytes written to a file at once: files are rotated between writes, and are never larger than they should be. */
const LOG_PART_BYTES = 1024 * 1024;
const CALL_TIMEOUT_MS = 30_000;
/** Batches on their way to a slow service at a time. */
const WEBHOOK_IN_FLIGHT_MAX = 4;
/** Events on their way to a blocking sink at a time; the size of the buffer is for batches alone. */
const BLOCKING_IN_FLIGHT_MAX = 10_000;
/** Time in which what is held is brought out when the server stops. */
const CLOSE_MS = 10_000;

/** Opens the log and the webhook. Throws `OptionsError` for a log file that cannot be written. */
export function buildAudit({ policy, log, webhook }: AuditConfig, parts: AuditParts): Auditor {
  const backends = [
    ...(log === undefined ? [] : [logBackend(log, parts)]),
    ...(webhook === undefined ? [] : [webhookBackend(webhook, parts)]),
  ];
  const blocking = backends.some((backend) => backend instanceof BlockingBackend);
  return new Auditor({ policy: new PolicyIndex(policy), backends, blocking, observer: parts.observer });
}

function logBackend(config: AuditLogConfig, parts: AuditParts): AuditBackend {
  const report = rateLimitedLog((message) => parts.report(`audit log: ${message}`), steadyMs);
  const sink = config.path === '-' ? new StandardOutput() : logFile(config, parts, report);
  const serializer = serializerOf(config, parts, LOG_PART_BYTES, report);
  return inMode(config, parts, { plugin: 'log', sink, serializer, observer: parts.observer, report }, 1);
}

function logFile(
  { path: file, bytesMax, retention }: AuditLogConfig,
  { nowMs }: AuditParts,
  report: (message: string) => void,
): AuditSink {
  try {
    prepareLogFile(file);
  } catch (error) {
    throw new OptionsError([optionProblem('audit-log-path', file, `cannot be written: ${(error as Error).message}`)]);
  }
  return new LogFile({ file, bytesMax, retention, nowMs, report });
}

function webhookBackend(config: AuditWebhookConfig, parts: AuditParts): AuditBackend {
  const report = rateLimitedLog((message) => parts.report(`audit webhook: ${message}`), steadyMs);
  const sink = new WebhookSink({
    client: new WebhookClient({
      config: config.service,
      certificates: parts.observer.webhookCertificates,
      timeoutMs: CALL_TIMEOUT_MS,
    }),
    retry: { ...webhookRetry, initialMs: config.initialBackoffMs },
  });
  const serializer = serializerOf(config, parts, Number.POSITIVE_INFINITY, report);
  const delivery: Delivery = { plugin: 'webhook', sink, serializer, observer: parts.observer, report };
  return inMode(config, parts, delivery, WEBHOOK_IN_FLIGHT_MAX);
}

type SinkConfig = AuditLogConfig | AuditWebhookConfig;

function serializerOf(
  { format, truncate }: SinkConfig,
  { serialize }: AuditParts,
  partBytesMax: number,
  report: (message: string) => void,
): EventSerializer {
  return new EventSerializer({
    format,
    partBytesMax,
    ...(truncate === undefined ? {} : { truncate }),
    elsewhere: serialize,
    report,
  });
}

function inMode(
  { mode, batch }: SinkConfig,
  { nowMs }: AuditParts,
  delivery: Delivery,
  inFlightMax: number,
): AuditBackend {
  if (mode === 'batch') return new BatchingBackend(delivery, { ...batch, inFlightMax, nowMs, closeMs: CLOSE_MS });
  return new BlockingBackend(delivery, {
    strict: mode === 'blocking-strict',
    inFlightMax: BLOCKING_IN_FLIGHT_MAX,
    closeMs: CLOSE_MS,
  });
}
