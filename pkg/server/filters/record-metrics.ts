import type { Filter, RequestContext } from '../request/request-context.ts';
import type { TimedFilter } from './timed.ts';

/** The decision of the authorizers about a request. */
export type AuthorizationResult = 'allowed' | 'denied' | 'error' | 'no-opinion';

/** Called with each request's start and end, and with failed handshakes. */
export interface RequestMetrics {
  started(context: RequestContext): void;
  finished(context: RequestContext, seconds: number): void;
  /** A filter passed a request on after this time. */
  filterPassed(filter: TimedFilter, seconds: number): void;
  /** The authorization of a request took this long. */
  authorized(result: AuthorizationResult, seconds: number): void;
  /** A connection ended in its TLS handshake. */
  handshakeFailed(): void;
}

/** Counts and times every request, with any result. */
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
