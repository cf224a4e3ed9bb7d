import { tooManyRequests } from '../../apimachinery/errors/status-error.ts';
import { estimateWork, type ResourceSizes } from '../flow-control/estimate-work.ts';
import { Seat, type Classified, type FlowController, type Waiting } from '../flow-control/flow-controller.ts';
import type { RejectReason } from '../flow-control/queue-set.ts';
import type { UnreadAnswers } from '../flow-control/unread-answers.ts';
import { isLongRunning } from '../request/request-kind.ts';
import type { Filter, Handler, RequestContext } from '../request/request-context.ts';
import { RequestPlace } from '../request/request-place.ts';
import { hold, refuseTooMany } from './limit-in-flight.ts';

/** A request waits for its seat for this part of its time. */
const WAIT_SHARE = 1 / 4;
/** Where it has no deadline, milliseconds. */
const WAIT_MS = 15_000;
const RETRY_AFTER_SECONDS = 1;

export interface FairShares {
  readonly controller: FlowController;
  readonly sizes: ResourceSizes;
  readonly unread: UnreadAnswers;
}

/**
 * Gives requests seats by priority and fairness, queues them, or refuses them with 429. A request has its seat until
 * its work is done, or its answer waits for the client. Watches have one until they have sent their initial objects;
 * other long-running requests need none.
 */
export function shareFairly(shares: FairShares): Filter {
  return (next) => (context) => {
    const { info } = context;
    if (info.verb !== 'watch' && isLongRunning(info)) return next(context);
    const classified = shares.controller.classify(context.user, info);
    context.flow = classified;
    if (!classified.level.isExempt) shares.unread.check(context);
    const outcome = askFor(context, classified, shares);
    if (outcome instanceof Seat) return hold(next, context, new SeatPlace(context, shares, outcome));
    if (typeof outcome === 'string') return Promise.resolve(refuseTooMany(context));
    return waitThen(next, context, outcome, shares);
  };
}

function askFor(
  context: RequestContext,
  classified: Classified,
  { controller, sizes }: FairShares,
): Seat | RejectReason | Waiting {
  return controller.ask(classified, context.user, context.info, estimateWork(context, sizes), context);
}

async function waitThen(next: Handler, context: RequestContext, waiting: Waiting, shares: FairShares): Promise<void> {
  const outcome = await inTime(waiting, context);
  if (outcome instanceof Seat) return hold(next, context, new SeatPlace(context, shares, outcome));
  refuseTooMany(context);
}

async function inTime(waiting: Waiting, { deadlineMs, exchange }: RequestContext): Promise<Seat | RejectReason> {
  const leave = (): void => waiting.giveUp('cancelled');
  const timer = setTimeout(
    () => waiting.giveUp('time-out'),
    deadlineMs === undefined ? WAIT_MS : (deadlineMs - performance.now()) * WAIT_SHARE,
  );
  exchange.onClose(leave);
  const outcome = await waiting.decided;
  clearTimeout(timer);
  exchange.offClose(leave);
  return outcome;
}

/** The seats of a request at its priority level. */
class SeatPlace extends RequestPlace {
  private readonly shares: FairShares;
  private seat: Seat;

  constructor(context: RequestContext, shares: FairShares, seat: Seat) {
    super(context, shares.unread);
    this.shares = shares;
    this.seat = seat;
  }

  giveBack(): void {
    this.seat.giveBack();
  }

  protected async take(): Promise<void> {
    const asked = askFor(this.context, this.seat.classified, this.shares);
    const outcome = asked instanceof Seat || typeof asked === 'string' ? asked : await inTime(asked, this.context);
    if (typeof outcome === 'string')
      throw tooManyRequests('too many requests, please try again later', RETRY_AFTER_SECONDS);
    this.seat = outcome;
  }
}
