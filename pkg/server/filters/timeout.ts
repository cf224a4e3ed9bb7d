import { badRequest, timeout } from '../../apimachinery/errors/status-error.ts';
import { DurationError, parseDuration, TIMER_MS_MAX } from '../../apimachinery/values/duration.ts';
import type { Auditor } from '../../audit/auditor.ts';
import { isLongRunning } from '../request/request-kind.ts';
import type { Filter, RequestContext } from '../request/request-context.ts';
import { auditRefusal } from './audit.ts';

/**
 * Answers 504 for requests that take too long, `--request-timeout` or less where the client requests less. The work of
 * such a request continues, except for webhooks, and may yet change something; its own answer is dropped. Long-running
 * requests have no such bound. `auditor`: audits requests that are refused here, before authentication.
 */
export function timeoutRequests(limitMs: number, auditor?: Auditor): Filter {
  return (next) => async (context) => {
    if (isLongRunning(context.info)) return next(context);
    // Before any work: a request that is refused must not be executed.
    const ms = Math.min(timeoutOf(context, limitMs, auditor), TIMER_MS_MAX);
    context.deadlineMs = performance.now() + ms;
    const answered = next(context);
    let timer: NodeJS.Timeout | undefined;
    const tooLate = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(timeout('request did not complete within the allotted timeout')), ms);
    });
    // After a timeout the handler is not awaited: its late failure has no client to go to.
    answered.catch(() => undefined);
    try {
      await Promise.race([answered, tooLate]);
    } finally {
      clearTimeout(timer);
    }
  };
}

/** Milliseconds; the limit where the request names no time above 0. Throws 400 for a `timeout` that is no duration. */
function timeoutOf(context: RequestContext, limitMs: number, auditor: Auditor | undefined): number {
  const asked = context.hasQuery ? (context.query.get('timeout') ?? '') : '';
  if (asked === '') return limitMs;
  try {
    const askedMs = Number(parseDuration(asked)) / 1e6;
    return askedMs > 0 ? Math.min(askedMs, limitMs) : limitMs;
  } catch (error) {
    if (!(error instanceof DurationError)) throw error;
    auditRefusal(auditor, context);
    throw badRequest(`invalid timeout specified in the request URL - ${error.message}`);
  }
}
