import { tooManyRequests } from '../../apimachinery/status-error.ts';
import { estimateWork, type ResourceSizes } from '../flow-control/estimate-work.ts';
import { Seat, type FlowController, type Waiting } from '../flow-control/flow-controller.ts';
import type { RejectReason } from '../flow-control/queue-set.ts';
import { leaveWhileUnread, type UnreadAnswers } from '../flow-control/unread-answers.ts';
import { isLongRunning } from '../request-kind.ts';
import type { Filter, Handler, RequestContext } from '../request-context.ts';
import { refuseTooMany } from './limit-in-flight.ts';

/** A request waits for its seat for this part of the time that it has. */
const WAIT_SHARE = 1 / 4;
/** Where it may take as long as it likes, milliseconds. */
const WAIT_MS = 15_000;
const RETRY_AFTER_SECONDS = 1;

export interface FairShares {
  readonly controller: FlowController;
  readonly sizes: ResourceSizes;
  readonly unread: UnreadAnswers;
}

/**
 * Gives requests seats by priority and fairness, lets them wait for one, or refuses them with 429. A request has its seat until its work is done, or its
 * answer waits for the client. Watches have one until they have sent what they begin with; other long-running requests need none.
 */
export function shareFairly({ controller, sizes, unread }: FairShares): Filter {
  return (next) => (context) => {
    const { info, user } = context;
    const isWatch = info.verb === 'watch';
    if (!isWatch && isLongRunning(info)) return next(context);
    const classified = controller.classify(user, info);
    context.flow = classified;
    if (!classified.level.isExempt) unread.check(context);
    const ask = (): Seat | RejectReason | Waiting => controller.ask(classified, user, info, estimateWork(info, () => context.query, sizes), context);
    const outcome = ask();
    if (outcome instanceof Seat) return hold(next, context, outcome, ask, unread);
    if (typeof outcome === 'string') return Promise.resolve(refuseTooMany(context));
    return waitThen(next, context, outcome, ask, unread);
  };
}

type Ask = () => Seat | RejectReason | Waiting;

async function waitThen(next: Handler, context: RequestContext, waiting: Waiting, ask: Ask, unread: UnreadAnswers): Promise<void> {
  const outcome = await inTime(waiting, context);
  if (outcome instanceof Seat) return hold(next, context, outcome, ask, unread);
  refuseTooMany(context);
}

async function inTime(waiting: Waiting, { deadlineMs, response }: RequestContext): Promise<Seat | RejectReason> {
  const leave = (): void => waiting.giveUp('cancelled');
  const timer = setTimeout(() => waiting.giveUp('time-out'), deadlineMs === undefined ? WAIT_MS : (deadlineMs - performance.now()) * WAIT_SHARE);
  response.once('close', leave);
  const outcome = await waiting.decided;
  clearTimeout(timer);
  response.off('close', leave);
  return outcome;
}

async function hold(next: Handler, context: RequestContext, first: Seat, ask: Ask, unread: UnreadAnswers): Promise<void> {
  let seat = first;
  const leave = (): void => leaveWhileUnread(context, () => seat.giveBack(), unread);
  leave();
  context.retakeSeat = async () => {
    const asked = ask();
    const outcome = asked instanceof Seat || typeof asked === 'string' ? asked : await inTime(asked, context);
    if (typeof outcome === 'string') throw tooManyRequests('too many requests, please try again later', RETRY_AFTER_SECONDS);
    seat = outcome;
    leave();
  };
  try {
    await next(context);
  } finally {
    seat.giveBack();
  }
}
