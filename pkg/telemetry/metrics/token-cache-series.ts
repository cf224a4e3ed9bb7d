import type { TokenCacheObserver } from '../../authentication/token-cache/token-cache.ts';
import { HistogramSeries } from './histogram-series.ts';
import type { MetricFamily, Sample } from './metric-family.ts';

const durationBounds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** The use of the cache in front of a token webhook. */
export class TokenCacheSeries implements TokenCacheObserver {
  private readonly requests = {
    hit: { count: 0, duration: new HistogramSeries({ status: 'hit' }, durationBounds) },
    miss: { count: 0, duration: new HistogramSeries({ status: 'miss' }, durationBounds) },
  };
  private readonly fetches = { ok: 0, error: 0 };
  private readonly active = { in_flight: 0, blocked: 0 };

  asked(result: 'hit' | 'miss', seconds: number): void {
    const request = this.requests[result];
    request.count++;
    request.duration.observe(seconds);
  }

  fetching(state: 'in_flight' | 'blocked', change: 1 | -1): void {
    this.active[state] += change;
  }

  fetched(result: 'ok' | 'error'): void {
    this.fetches[result]++;
  }

  families(): readonly MetricFamily[] {
    const byStatus = (values: Readonly<Record<string, number>>): Sample[] =>
      Object.entries(values).map(([status, value]) => ({ labels: { status }, value }));
    const { requests } = this;
    return [
      {
        name: 'authentication_token_cache_request_total',
        type: 'counter',
        help: 'Questions to the cache of tokens.',
        samples: () => byStatus({ hit: requests.hit.count, miss: requests.miss.count }),
      },
      {
        name: 'authentication_token_cache_request_duration_seconds',
        type: 'histogram',
        help: 'Time until the cache of tokens answered.',
        series: () => [requests.hit.duration, requests.miss.duration].filter(({ count }) => count > 0),
      },
      {
        name: 'authentication_token_cache_fetch_total',
        type: 'counter',
        help: 'Tokens that the service behind the cache was called for.',
        samples: () => byStatus(this.fetches),
      },
      {
        name: 'authentication_token_cache_active_fetch_count',
        type: 'untyped',
        help: 'Calls of that service in flight, and requests that wait for one.',
        samples: () => byStatus(this.active),
      },
    ];
  }
}
