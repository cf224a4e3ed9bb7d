import { isLongRunning, isReadOnly } from '../request-kind.ts';
import { respondBytes } from '../respond.ts';
import type { Filter, RequestContext } from '../request-context.ts';

/** Most requests under way at once; 0: no limit. */
export interface InFlightLimits {
  /** `--max-requests-inflight`: requests that change nothing. */
  readonly readOnly: number;
  /** `--max-mutating-requests-inflight`. */
  readonly mutating: number;
}

const MASTERS = 'system:masters';
const RETRY_AFTER_SECONDS = '1';
/** Asked by whoever decides whether to restart the server: a flood must not look like a death. */
const healthPaths = /^\/(healthz|livez|readyz)(\/|$)/;

/**
 * Refuses requests with 429 while too many are under way. Long-running requests do not count; administrators and health checks get through
 * whatever happens. A request counts until its work is done, also when its client has been answered before.
 */
export function limitInFlight(limits: InFlightLimits): Filter {
  const underWay = { readOnly: 0, mutating: 0 };
  return (next) => async (context) => {
    if (isLongRunning(context.info)) return next(context);
    const kind = isReadOnly(context.info) ? 'readOnly' : 'mutating';
    if (limits[kind] > 0 && underWay[kind] >= limits[kind]) {
      // Whoever gets through all the same takes no place from others.
      if (isExempt(context)) return next(context);
      return refuse(context);
    }
    underWay[kind]++;
    try {
      await next(context);
    } finally {
      underWay[kind]--;
    }
  };
}

function isExempt(context: RequestContext): boolean {
  return context.user.groups.includes(MASTERS) || (!context.info.isResource && healthPaths.test(context.info.path));
}

/** Plain text, as clients know it. */
function refuse(context: RequestContext): void {
  respondBytes(context, 429, 'text/plain; charset=utf-8', Buffer.from('Too many requests, please try again later.\n'), { 'retry-after': RETRY_AFTER_SECONDS, 'x-content-type-options': 'nosniff' });
}
