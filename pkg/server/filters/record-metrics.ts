import type { Filter, RequestContext } from '../request/request-context.ts';
import type { TimedFilter } from './timed.ts';

/** What the authorizers said of a request. */
export type AuthorizationResult = 'allowed' | 'denied' | 'error' | 'no-opinion';

/** Told of each request's start and end, and of what comes to none. */
export interface RequestMetrics {
  started(context: RequestContext): void;
  finished(context: RequestContext, seconds: number): void;
  /** A filter handed a request on after so long. */
  filterPassed(filter: TimedFilter, seconds: number): void;
  /** It was known after so long whether a request is allowed. */
  authorized(result: AuthorizationResult, seconds: number): void;
  /** A connection ended in its TLS handshake. */
  handshakeFailed(): void;
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
