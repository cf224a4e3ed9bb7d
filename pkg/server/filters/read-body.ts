import { requestEntityTooLarge, tooManyRequests } from '../../apimachinery/errors/status-error.ts';
import { PendingShare, type BodyBudget, type BodyShare } from '../bodies/body-budget.ts';
import { readBody } from '../bodies/read-body.ts';
import { stopSending, type UnreadBody } from '../bodies/unread-body.ts';
import { BODY_BYTES_MAX } from '../verbs/decode-body.ts';
import type { Filter, Handler, RequestContext } from '../request/request-context.ts';

const bodyMethods: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);
/** A request waits for room for its body for this part of its remaining time. */
const WAIT_SHARE = 1 / 4;
/** Where it has no deadline, milliseconds. */
const WAIT_MS = 15_000;
const RETRY_AFTER_SECONDS = 1;
/** How long a request with a seat may wait for its body, milliseconds. */
const SLOW_MS = 100;

/**
 * Answers malformed requests, and reads the bodies of all others: the outer filters pass only requests whose body is
 * needed. Bodies of proxied requests, and of methods without one, stay unread.
 */
export function readBodies(budget: BodyBudget, bytesMax = BODY_BYTES_MAX): Filter {
  return (next) => (context) => {
    const { unreadBody, refusal } = context;
    if (refusal !== undefined) throw refusal;
    if (unreadBody === undefined) return next(context);
    if (unreadBody.streamed) unreadBody.want();
    else if (bodyMethods.has(context.method)) return readFirst(next, context, unreadBody, budget, bytesMax);
    return next(context);
  };
}

async function readFirst(
  next: Handler,
  context: RequestContext,
  unread: UnreadBody,
  budget: BodyBudget,
  bytesMax: number,
): Promise<void> {
  const { announcedBytes } = unread;
  if (announcedBytes !== undefined && announcedBytes > bytesMax) throw requestEntityTooLarge(`limit is ${bytesMax}`);
  const taken = budget.take({ user: context.user.name, connection: connectionOf(context) }, announcedBytes ?? bytesMax);
  const share = taken instanceof PendingShare ? await inTime(taken, context) : taken;
  try {
    unread.want();
    context.body = await readOrStop(context, announcedBytes, bytesMax);
    unread.wasRead();
    share.keep(context.body.length);
    // Its time may have run out: a request that is answered 504 before its work begins is not executed.
    if (!context.answered) await next(context);
  } finally {
    share.keep(0);
  }
}

/** A slow client has no seat meanwhile: hundreds of bodies that do not come would lock all others out. */
async function readOrStop(
  context: RequestContext,
  announcedBytes: number | undefined,
  bytesMax: number,
): Promise<Uint8Array> {
  const { request, place } = context;
  const slow = setTimeout(() => place?.leave(0), SLOW_MS);
  try {
    const body = await readBody(request, announcedBytes, bytesMax);
    if (place?.isVacant === true && !context.answered) await place.takeAgain();
    return body;
  } catch (error) {
    stopSending(request);
    throw error;
  } finally {
    clearTimeout(slow);
  }
}

/**
 * Throws 429 where there is no room for too long. Until then nothing of the body is read, and flow control holds its
 * client back.
 */
async function inTime(pending: PendingShare, context: RequestContext): Promise<BodyShare> {
  const giveUp = (): void => pending.giveUp();
  const { response, deadlineMs } = context;
  const timer = setTimeout(giveUp, deadlineMs === undefined ? WAIT_MS : (deadlineMs - performance.now()) * WAIT_SHARE);
  response.once('close', giveUp);
  const share = await pending.granted;
  clearTimeout(timer);
  response.off('close', giveUp);
  if (share === undefined)
    throw tooManyRequests('the server holds too many request bodies, please try again later', RETRY_AFTER_SECONDS);
  return share;
}

function connectionOf({ request }: RequestContext): object {
  return 'stream' in request ? (request.stream.session ?? request.stream) : request.socket;
}
