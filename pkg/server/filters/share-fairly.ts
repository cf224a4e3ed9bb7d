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
    const work = estimateWork(info, () => context.query, sizes);
    const outcome = controller.ask(classified, user, info, work, context);
    if (outcome instanceof Seat) return hold(next, context, outcome, unread);
    if (typeof outcome === 'string') return Promise.resolve(refuseTooMany(context));
    return waitThen(next, context, outcome, unread);
  };
}

async function waitThen(next: Handler, context: RequestContext, waiting: Waiting, unread: UnreadAnswers): Promise<void> {
  const outcome = await inTime(waiting, context);
  if (outcome instanceof Seat) return hold(next, context, outcome, unread);
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

async function hold(next: Handler, context: RequestContext, seat: Seat, unread: UnreadAnswers): Promise<void> {
  leaveWhileUnread(context, () => seat.giveBack(), unread);
  try {
    await next(context);
  } finally {
    seat.giveBack();
  }
}
