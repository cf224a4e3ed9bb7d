import { tooManyRequests } from '../../apimachinery/errors/status-error.ts';
import type { UserInfo } from '../../api/resource-definition.ts';
import { UnreadAnswers } from '../flow-control/unread-answers.ts';
import { isHealthPath } from '../system/health.ts';
import { isLongRunning, isReadOnly } from '../request/request-kind.ts';
import { respondBytes } from '../answers/respond.ts';
import type { Filter, Handler, RequestContext } from '../request/request-context.ts';
import { RequestPlace } from '../request/request-place.ts';

/** Limit of requests in flight; 0: no limit. */
export interface InFlightLimits {
  /** `--max-requests-inflight`: read-only requests. */
  readonly readOnly: number;
  /** `--max-mutating-requests-inflight`. */
  readonly mutating: number;
}

const MASTERS = 'system:masters';
/** Nodes, and controllers that run in the cluster. */
const systemGroups: ReadonlySet<string> = new Set(['system:nodes', 'system:serviceaccounts:kube-system']);
/** `system:kube-scheduler`, `system:kube-controller-manager`, `system:kube-proxy`. */
const SYSTEM_USERS = 'system:kube-';
const RETRY_AFTER_SECONDS = '1';

/**
 * Refuses requests with 429 while too many are in flight. Long-running requests do not count. Administrators and health
 * checks always pass; the components of the cluster have as many places again when the others are taken. A request
 * counts until its work is done, also when its client has been answered before, or until its answer waits for the
 * client.
 */
export function limitInFlight(limits: InFlightLimits, unread = new UnreadAnswers()): Filter {
  const places = { readOnly: new Places(limits.readOnly), mutating: new Places(limits.mutating) };
  const reserved = { readOnly: new Places(limits.readOnly), mutating: new Places(limits.mutating) };
  return (next) => (context) => {
    if (isLongRunning(context.info)) return next(context);
    if (!isExempt(context)) unread.check(context);
    const kind = isReadOnly(context.info) ? 'readOnly' : 'mutating';
    if (places[kind].free) return hold(next, context, new InFlightPlace(places[kind], context, unread));
    // Requests that pass all the same take no place from others.
    if (isExempt(context)) return next(context);
    if (isSystem(context.user) && reserved[kind].free)
      return hold(next, context, new InFlightPlace(reserved[kind], context, unread));
    refuseTooMany(context);
    return Promise.resolve();
  };
}

class Places {
  private readonly max: number;
  private taken = 0;

  /** 0: no limit. */
  constructor(max: number) {
    this.max = max;
  }

  get free(): boolean {
    return this.max === 0 || this.taken < this.max;
  }

  take(): void {
    this.taken++;
  }

  giveBack(): void {
    this.taken--;
  }
}

class InFlightPlace extends RequestPlace {
  private readonly places: Places;
  private isHeld = true;

  constructor(places: Places, context: RequestContext, unread: UnreadAnswers) {
    super(context, unread);
    this.places = places;
    places.take();
  }

  giveBack(): void {
    if (this.isHeld) this.places.giveBack();
    this.isHeld = false;
  }

  protected take(): Promise<void> {
    if (!this.places.free)
      return Promise.reject(tooManyRequests('too many requests, please try again later', Number(RETRY_AFTER_SECONDS)));
    this.places.take();
    this.isHeld = true;
    return Promise.resolve();
  }
}

/** Handles the request while it holds its place. */
export async function hold(next: Handler, context: RequestContext, place: RequestPlace): Promise<void> {
  context.place = place;
  try {
    await next(context);
  } finally {
    place.giveBack();
  }
}

/** Probes decide by health checks whether to restart the server: a flood must not look like a failure. */
function isExempt(context: RequestContext): boolean {
  return context.user.groups.includes(MASTERS) || (!context.info.isResource && isHealthPath(context.info.path));
}

function isSystem({ name, groups }: UserInfo): boolean {
  return name.startsWith(SYSTEM_USERS) || groups.some((group) => systemGroups.has(group));
}

/** Plain text, as clients know it. */
export function refuseTooMany(context: RequestContext): void {
  respondBytes(context, 429, 'text/plain; charset=utf-8', Buffer.from('Too many requests, please try again later.\n'), {
    'retry-after': RETRY_AFTER_SECONDS,
    'x-content-type-options': 'nosniff',
  });
}
