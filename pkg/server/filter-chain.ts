import { authenticate } from './filters/authenticate.ts';
import { authorize } from './filters/authorize.ts';
import { impersonate } from './filters/impersonate.ts';
import { logRequests } from './filters/log-requests.ts';
import { recordMetrics, type RequestMetrics } from './filters/record-metrics.ts';
import { recover } from './filters/recover.ts';
import { refuseUnreadable } from './filters/refuse-unreadable.ts';
import { traceRequests } from './filters/trace-requests.ts';
import type { Logger } from '../telemetry/logger.ts';
import type { FrontDoor } from './front-door.ts';
import type { Filter, Handler } from './request-context.ts';

export interface FilterParts {
  readonly metrics: RequestMetrics;
  readonly logger: Logger;
  readonly frontDoor: FrontDoor;
  readonly onError: (error: unknown, path: string) => void;
}

/** Every filter by name, in run order, outermost first. */
export function filterChain(parts: FilterParts): readonly (readonly [name: string, filter: Filter])[] {
  return [
    ['record-metrics', recordMetrics(parts.metrics)],
    ['log-requests', logRequests(parts.logger)],
    ['trace-requests', traceRequests()],
    ['recover', recover(parts.onError)],
    ['authenticate', authenticate(parts.frontDoor.authenticator, parts.logger, parts.onError)],
    ['impersonate', impersonate(parts.frontDoor.authorizer)],
    ['authorize', authorize(parts.frontDoor.authorizer)],
    ['refuse-unreadable', refuseUnreadable()],
  ];
}

/** One handler out of the chain and what stands behind it. */
export function chainHandlers(chain: readonly (readonly [string, Filter])[], handler: Handler): Handler {
  return chain.reduceRight((next, [, filter]) => filter(next), handler);
}
