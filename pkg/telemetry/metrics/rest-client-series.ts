import type { RequestObserver } from '../../client/rest/request-observer.ts';
import { HistogramSeries } from './histogram-series.ts';
import type { Labels, MetricFamily } from './metric-family.ts';

/** Seconds, as the Go client library has them. */
const BOUNDS = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60] as const;

/** What a program asks of API servers: few hosts, so that nothing has to be bounded. */
export class RestClientSeries implements RequestObserver {
  private readonly counts = new Map<string, { readonly labels: Labels; value: number }>();
  private readonly durations = new Map<string, HistogramSeries>();

  requestEnded(method: string, host: string, code: number, seconds: number): void {
    const answered = code === 0 ? '<error>' : String(code);
    const key = `${answered} ${method} ${host}`;
    const count = this.counts.get(key);
    if (count === undefined) this.counts.set(key, { labels: { code: answered, host, method }, value: 1 });
    else count.value++;
    const verbKey = `${method} ${host}`;
    let duration = this.durations.get(verbKey);
    if (duration === undefined) {
      duration = new HistogramSeries({ host, verb: method }, BOUNDS);
      this.durations.set(verbKey, duration);
    }
    duration.observe(seconds);
  }

  families(): readonly MetricFamily[] {
    return [
      {
        name: 'rest_client_requests_total',
        type: 'counter',
        help: 'Requests to API servers by method, host and code.',
        samples: () => this.counts.values(),
      },
      {
        name: 'rest_client_request_duration_seconds',
        type: 'histogram',
        help: 'Time until the answer of a request to an API server begins.',
        series: () => this.durations.values(),
      },
    ];
  }
}
