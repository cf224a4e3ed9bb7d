import type { AuthorizationObserver, GraphAction } from '../../authorization/authorization-observer.ts';
import type { AuthorizationResult } from '../../server/filters/record-metrics.ts';
import { DeprecatedCertificates } from '../../webhooks/deprecated-certificates.ts';
import { exponentialBounds, HistogramSeries } from './histogram-series.ts';
import type { MetricFamily, Sample } from './metric-family.ts';

/** 0.1 ms to 0.2 s. */
const durationBounds = exponentialBounds(0.0001, 2, 12);

/** 1 ms to 16 s. */
const decisionBounds = exponentialBounds(0.001, 2, 15);

/** Decisions about requests, and the cost of the graph of nodes. */
export class AuthorizationSeries implements AuthorizationObserver {
  readonly webhookCertificates: DeprecatedCertificates;
  private readonly actions = new Map<GraphAction, HistogramSeries>();
  private readonly decisions = new Map(
    (['allowed', 'denied', 'error', 'no-opinion'] as const).map((result) => [
      result,
      new HistogramSeries({ result }, decisionBounds),
    ]),
  );

  constructor(webhookCertificates = new DeprecatedCertificates()) {
    this.webhookCertificates = webhookCertificates;
  }

  decided(result: AuthorizationResult, seconds: number): void {
    this.decisions.get(result)!.observe(seconds);
  }

  graphChanged(action: GraphAction, seconds: number): void {
    let duration = this.actions.get(action);
    if (duration === undefined)
      this.actions.set(action, (duration = new HistogramSeries({ operation: action }, durationBounds)));
    duration.observe(seconds);
  }

  families(): readonly MetricFamily[] {
    const used = (): HistogramSeries[] => [...this.decisions.values()].filter(({ count }) => count > 0);
    return [
      {
        name: 'authorization_attempts_total',
        type: 'counter',
        help: 'Requests by what the authorizers said of them.',
        samples: () => used().map(({ labels, count }): Sample => ({ labels, value: count })),
      },
      {
        name: 'authorization_duration_seconds',
        type: 'histogram',
        help: 'Time until it was known whether a request is allowed.',
        series: used,
      },
      {
        name: 'node_authorizer_graph_actions_duration_seconds',
        type: 'histogram',
        help: 'Time to bring the graph of what nodes may read up to a change.',
        series: () => [...this.actions.values()],
      },
    ];
  }
}
