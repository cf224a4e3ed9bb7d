import type { Filter } from '../request/request-context.ts';
import type { RequestMetrics } from './record-metrics.ts';

/** Filters whose time is reported, under the names of stock servers for them. */
export type TimedFilter = 'audit' | 'authentication' | 'authorization' | 'impersonation';

/**
 * Times a filter from when it gets a request to when it passes it on. Requests that it answers itself are not counted.
 */
export function timed(name: TimedFilter, metrics: RequestMetrics, filter: Filter): Filter {
  return (next) => {
    const inner = filter((context) => {
      metrics.filterPassed(name, (performance.now() - context.filterStartMs) / 1000);
      return next(context);
    });
    return (context) => {
      context.filterStartMs = performance.now();
      return inner(context);
    };
  };
}
