import type { DeprecatedCertificates } from '../webhooks/deprecated-certificates.ts';
import type { AuditLevel } from './event.ts';

/** The part that failed: a sink, the buffer in front of one, or the truncation of events that are too large. */
export type AuditPlugin = 'buffered' | 'log' | 'truncate' | 'webhook';

/** Called with the outcome of requests and events, for metrics. */
export interface AuditObserver {
  /** A request is audited at this level; also for level None. */
  levelDecided(level: AuditLevel): void;
  /** An event went to the sinks. */
  eventSent(): void;
  /** A request was refused because its event could not be written. */
  requestRejected(): void;
  /** Events that were lost. */
  failed(plugin: AuditPlugin, events: number): void;
  readonly webhookCertificates: DeprecatedCertificates;
}
