import type { AuthorizationObserver, GraphAction } from '../../authorization/authorization-observer.ts';
import { exponentialBounds, HistogramSeries } from './histogram-series.ts';
import type { MetricFamily } from './metric-family.ts';

/** 0.1 ms to 0.2 s. */
const durationBounds = exponentialBounds(0.0001, 2, 12);

/** What it takes to know which node may read what. */
export class AuthorizationSeries implements AuthorizationObserver {
  private readonly actions = new Map<GraphAction, HistogramSeries>();

  graphChanged(action: GraphAction, seconds: number): void {
    let duration = this.actions.get(action);
    if (duration === undefined) this.actions.set(action, (duration = new HistogramSeries({ operation: action }, durationBounds)));
    duration.observe(seconds);
  }

  families(): readonly MetricFamily[] {
    return [{
      name: 'node_authorizer_graph_actions_duration_seconds', type: 'histogram', help: 'Time to bring the graph of what nodes may read up to a change.',
      series: () => [...this.actions.values()],
    }];
  }
}
