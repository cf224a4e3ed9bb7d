import type { Operation } from '../../admission/admission.ts';
import type { WebhookObserver, WebhookRejection, WebhookType } from '../../admission/webhook/webhook-observer.ts';
import { DeprecatedCertificates } from '../../webhooks/deprecated-certificates.ts';
import { HistogramSeries } from './histogram-series.ts';
import type { Labels, MetricFamily, Sample } from './metric-family.ts';

const durationBounds = [0.005, 0.025, 0.1, 0.5, 1, 2.5] as const;
/** Series of one metric: names of webhooks come from objects, which are added and removed. */
const SERIES_MAX = 2000;

interface Counter {
  readonly labels: Labels;
  value: number;
}

/** Times and results of calls of admission webhooks. */
export class WebhookSeries implements WebhookObserver {
  readonly webhookCertificates: DeprecatedCertificates;
  private readonly durations = new Map<string, HistogramSeries>();
  private readonly requests = new Map<string, Counter>();
  private readonly rejections = new Map<string, Counter>();
  private readonly failedOpen = new Map<string, Counter>();

  constructor(webhookCertificates = new DeprecatedCertificates()) {
    this.webhookCertificates = webhookCertificates;
  }

  webhookCalled(
    name: string,
    type: WebhookType,
    operation: Operation,
    rejected: boolean,
    code: number,
    seconds: number,
  ): void {
    const labels = { name, operation, rejected: String(rejected), type };
    const key = keyOf(labels);
    let duration = this.durations.get(key);
    if (duration === undefined && this.durations.size < SERIES_MAX)
      this.durations.set(key, (duration = new HistogramSeries(labels, durationBounds)));
    duration?.observe(seconds);
    count(this.requests, { code: codeLabel(code), ...labels });
  }

  webhookRejected(name: string, type: WebhookType, operation: Operation, why: WebhookRejection, code: number): void {
    count(this.rejections, { error_type: why, name, operation, rejection_code: codeLabel(code), type });
  }

  webhookFailedOpen(name: string, type: WebhookType): void {
    count(this.failedOpen, { name, type });
  }

  families(): readonly MetricFamily[] {
    const samples = (counters: Map<string, Counter>) => (): Iterable<Sample> => counters.values();
    return [
      {
        name: 'apiserver_admission_webhook_admission_duration_seconds',
        type: 'histogram',
        help: 'Time that one admission webhook takes for one request.',
        series: () => this.durations.values(),
      },
      {
        name: 'apiserver_admission_webhook_request_total',
        type: 'counter',
        help: 'Calls of admission webhooks by outcome.',
        samples: samples(this.requests),
      },
      {
        name: 'apiserver_admission_webhook_rejection_count',
        type: 'counter',
        help: 'Requests that were refused by or because of an admission webhook.',
        samples: samples(this.rejections),
      },
      {
        name: 'apiserver_webhooks_x509_missing_san_total',
        type: 'counter',
        help: 'Certificates without alternative names that webhooks of any sort showed.',
        samples: () => [{ labels: {}, value: this.webhookCertificates.missingSan }],
      },
      {
        name: 'apiserver_webhooks_x509_insecure_sha1_total',
        type: 'counter',
        help: 'Certificates with weak signatures that webhooks of any sort showed.',
        samples: () => [{ labels: {}, value: this.webhookCertificates.insecureSha1 }],
      },
      {
        name: 'apiserver_admission_webhook_fail_open_count',
        type: 'counter',
        help: 'Requests that went on although an admission webhook failed.',
        samples: samples(this.failedOpen),
      },
    ];
  }
}

/** Codes that webhooks make up count as one, above and below those of HTTP. */
function codeLabel(code: number): string {
  return code > 600 ? '600' : String(Math.max(0, Math.trunc(code)));
}

function keyOf(labels: Labels): string {
  return Object.values(labels).join(' ');
}

function count(counters: Map<string, Counter>, labels: Labels): void {
  const key = keyOf(labels);
  const counter = counters.get(key);
  if (counter !== undefined) counter.value++;
  else if (counters.size < SERIES_MAX) counters.set(key, { labels, value: 1 });
}
