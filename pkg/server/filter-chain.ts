import { auditRequests, unauthorizedHandler } from './filters/audit.ts';
import { authenticate } from './filters/authenticate.ts';
import { authorize } from './filters/authorize.ts';
import { cors } from './filters/cors.ts';
import { impersonate } from './filters/impersonate.ts';
import { limitInFlight, type InFlightLimits } from './filters/limit-in-flight.ts';
import { logRequests } from './filters/log-requests.ts';
import { readBodies } from './filters/read-body.ts';
import { recordMetrics, type RequestMetrics } from './filters/record-metrics.ts';
import { recover } from './filters/recover.ts';
import { refuseWhenStopped } from './filters/refuse-when-stopped.ts';
import { showApiPage } from './filters/show-api-page.ts';
import { shareFairly, type FairShares } from './filters/share-fairly.ts';
import { strictTransport } from './filters/strict-transport.ts';
import { timed } from './filters/timed.ts';
import { timeoutRequests } from './filters/timeout.ts';
import { traceRequests } from './filters/trace-requests.ts';
import type { Auditor } from '../audit/auditor.ts';
import type { Logger } from '../logging/logger.ts';
import type { BodyBudget } from './bodies/body-budget.ts';
import type { ApiPage } from './api-page/api-page.ts';
import type { AccessControl } from './access-control.ts';
import type { Filter, Handler } from './request/request-context.ts';
import type { ServingState } from './serving-state.ts';

/** The options for requests over connections. */
export interface RequestLimits {
  /** `--request-timeout`, milliseconds. */
  readonly requestTimeoutMs: number;
  readonly inFlight: InFlightLimits;
  /** `--enable-priority-and-fairness`: seats by priority, as many as both limits together. */
  readonly fairly: boolean;
  /** `--cors-allowed-origins`. */
  readonly corsOrigins: readonly string[];
  /** `--strict-transport-security-directives`. */
  readonly strictTransport: readonly string[];
}

export interface FilterParts {
  readonly metrics: RequestMetrics;
  readonly logger: Logger;
  readonly accessControl: AccessControl;
  readonly limits: RequestLimits;
  readonly bodies: BodyBudget;
  /** Absent: requests are bounded by `inFlight` alone. */
  readonly fairShares: FairShares | undefined;
  /** Absent where there is none. */
  readonly apiPage: ApiPage | undefined;
  /** Absent where nothing is audited. */
  readonly audit: Auditor | undefined;
  /** Says when the server serves no more. */
  readonly state: ServingState;
  readonly onError: (error: unknown, path: string) => void;
}

/** Every filter by name, in run order, outermost first. */
export function filterChain(parts: FilterParts): readonly (readonly [name: string, filter: Filter])[] {
  const { metrics } = parts;
  return [
    ['record-metrics', recordMetrics(metrics)],
    ['log-requests', logRequests(parts.logger)],
    ['trace-requests', traceRequests()],
    ['recover', recover(parts.onError)],
    ['strict-transport', strictTransport(parts.limits.strictTransport)],
    ['refuse-when-stopped', refuseWhenStopped(parts.state)],
    ['cors', cors(parts.limits.corsOrigins)],
    ['timeout', timeoutRequests(parts.limits.requestTimeoutMs, parts.audit)],
    ['show-api-page', showApiPage(parts.apiPage)],
    [
      'authenticate',
      timed(
        'authentication',
        metrics,
        authenticate(
          parts.accessControl.authenticator,
          parts.logger,
          parts.onError,
          unauthorizedHandler(parts.audit, parts.accessControl.challenge),
        ),
      ),
    ],
    ['audit', timed('audit', metrics, auditRequests(parts.audit, parts.onError))],
    ['impersonate', timed('impersonation', metrics, impersonate(parts.accessControl.authorizer))],
    [
      'limit-in-flight',
      parts.fairShares === undefined ? limitInFlight(parts.limits.inFlight) : shareFairly(parts.fairShares),
    ],
    ['authorize', timed('authorization', metrics, authorize(parts.accessControl.authorizer, metrics))],
    ['read-body', readBodies(parts.bodies)],
  ];
}

/** Wraps the rest of the chain in one handler. */
export function chainHandlers(chain: readonly (readonly [string, Filter])[], handler: Handler): Handler {
  return chain.reduceRight((next, [, filter]) => filter(next), handler);
}
