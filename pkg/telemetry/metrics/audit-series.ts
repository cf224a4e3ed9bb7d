import type { AuditObserver, AuditPlugin } from '../../audit/audit-observer.ts';
import { LEVELS, type AuditLevel } from '../../audit/event.ts';
import { DeprecatedCertificates } from '../../webhooks/deprecated-certificates.ts';
import type { MetricFamily, Sample } from './metric-family.ts';

/** Recorded and lost audit events. */
export class AuditSeries implements AuditObserver {
  readonly webhookCertificates: DeprecatedCertificates;
  private readonly levels = new Map<AuditLevel, number>(LEVELS.map((level) => [level, 0]));
  private readonly errors = new Map<AuditPlugin, number>();
  private events = 0;
  private rejected = 0;

  constructor(webhookCertificates = new DeprecatedCertificates()) {
    this.webhookCertificates = webhookCertificates;
  }

  levelDecided(level: AuditLevel): void {
    this.levels.set(level, this.levels.get(level)! + 1);
  }

  eventSent(): void {
    this.events++;
  }

  requestRejected(): void {
    this.rejected++;
  }

  failed(plugin: AuditPlugin, events: number): void {
    this.errors.set(plugin, (this.errors.get(plugin) ?? 0) + events);
  }

  families(): readonly MetricFamily[] {
    return [
      {
        name: 'apiserver_audit_event_total',
        type: 'counter',
        help: 'Audit events that were made and handed to the backends.',
        samples: () => [{ labels: {}, value: this.events }],
      },
      {
        name: 'apiserver_audit_level_total',
        type: 'counter',
        help: 'Requests by the level at which the audit policy has them written down.',
        samples: () =>
          [...this.levels].flatMap(([level, value]): Sample[] => (value === 0 ? [] : [{ labels: { level }, value }])),
      },
      {
        name: 'apiserver_audit_error_total',
        type: 'counter',
        help: 'Audit events that were lost, by the part that failed: a sink, the full buffer before it, or truncation.',
        samples: () => [...this.errors].map(([plugin, value]): Sample => ({ labels: { plugin }, value })),
      },
      {
        name: 'apiserver_audit_requests_rejected_total',
        type: 'counter',
        help: 'Requests that were refused because their audit event could not be written.',
        samples: () => [{ labels: {}, value: this.rejected }],
      },
    ];
  }
}
