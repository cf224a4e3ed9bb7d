import type { RequestObserver } from '../../client/rest/request-observer.ts';
import { HistogramSeries } from './histogram-series.ts';
import type { Labels, MetricFamily } from './metric-family.ts';

/** Seconds, as the Go client library has them. */
const SECONDS = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60] as const;
const BYTES = [64, 256, 512, 1024, 4096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304, 16_777_216] as const;

/** Requests of a program to API servers: few hosts, so that nothing has to be bounded. */
export class RestClientSeries implements RequestObserver {
  private readonly requests = new LabelledCounter();
  private readonly retries = new LabelledCounter();
  private readonly durations = new VerbHistograms(SECONDS);
  private readonly waits = new VerbHistograms(SECONDS);
  private readonly requestBytes = new VerbHistograms(BYTES);
  private readonly answerBytes = new VerbHistograms(BYTES);

  requestEnded(method: string, host: string, code: number, seconds: number): void {
    this.requests.increment({ code: code === 0 ? '<error>' : String(code), host, method });
    this.durations.observe(method, host, seconds);
  }

  sent(method: string, host: string, bytes: number): void {
    this.requestBytes.observe(method, host, bytes);
  }

  received(method: string, host: string, bytes: number): void {
    this.answerBytes.observe(method, host, bytes);
  }

  waited(method: string, host: string, seconds: number): void {
    this.waits.observe(method, host, seconds);
  }

  retried(method: string, host: string, code: number): void {
    this.retries.increment({ code: String(code), host, verb: method });
  }

  families(): readonly MetricFamily[] {
    return [
      {
        name: 'rest_client_requests_total',
        type: 'counter',
        help: 'Requests to API servers by method, host and code.',
        samples: () => this.requests.samples(),
      },
      {
        name: 'rest_client_request_retries_total',
        type: 'counter',
        help: 'Requests to API servers that were sent again, by the code of the answer before.',
        samples: () => this.retries.samples(),
      },
      this.durations.family(
        'rest_client_request_duration_seconds',
        'Time until the answer of a request to an API server begins.',
      ),
      this.waits.family(
        'rest_client_rate_limiter_duration_seconds',
        "How long the client's own rate limit held requests back.",
      ),
      this.requestBytes.family('rest_client_request_size_bytes', 'Bytes of the bodies of requests to API servers.'),
      this.answerBytes.family('rest_client_response_size_bytes', 'Bytes of the answers of API servers.'),
    ];
  }
}

/** A counter with a value for each set of labels. */
class LabelledCounter {
  private readonly values = new Map<string, { readonly labels: Labels; value: number }>();

  increment(labels: Labels): void {
    const key = Object.values(labels).join(' ');
    const count = this.values.get(key);
    if (count === undefined) this.values.set(key, { labels, value: 1 });
    else count.value++;
  }

  samples(): Iterable<{ readonly labels: Labels; readonly value: number }> {
    return this.values.values();
  }
}

/** A histogram by host and verb. */
class VerbHistograms {
  private readonly bounds: readonly number[];
  private readonly histograms = new Map<string, HistogramSeries>();

  constructor(bounds: readonly number[]) {
    this.bounds = bounds;
  }

  observe(verb: string, host: string, value: number): void {
    const key = `${verb} ${host}`;
    let histogram = this.histograms.get(key);
    if (histogram === undefined) {
      histogram = new HistogramSeries({ host, verb }, this.bounds);
      this.histograms.set(key, histogram);
    }
    histogram.observe(value);
  }

  family(name: string, help: string): MetricFamily {
    return { name, type: 'histogram', help, series: () => this.histograms.values() };
  }
}
