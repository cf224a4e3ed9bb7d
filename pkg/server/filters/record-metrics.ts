import type { Filter, RequestContext } from '../request-context.ts';

/** Told of each request's start and end. */
export interface RequestMetrics {
  started(context: RequestContext): void;
  finished(context: RequestContext, seconds: number): void;
}

/** Counts and times every request, whatever becomes of it. */
export function recordMetrics(metrics: RequestMetrics): Filter {
  return (next) => async (context) => {
    metrics.started(context);
    try {
      await next(context);
    } finally {
      metrics.finished(context, (performance.now() - context.startMs) / 1000);
    }
  };
}
