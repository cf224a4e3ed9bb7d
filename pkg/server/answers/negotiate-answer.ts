import { negotiate, type Accepted, type Offer } from './negotiation.ts';
import type { RequestContext } from '../request/request-context.ts';

/** Values that strconv.ParseBool reads as true. */
const trueWords: ReadonlySet<string> = new Set(['1', 't', 'T', 'true', 'TRUE', 'True']);
/** Clients that people use interactively. */
const peoplesClient = /^(?:curl|Wget|Mozilla\/5\.0)/;

/**
 * Picks the form of a request's answer from its Accept header; JSON is indented where `wantsPretty` is true. Throws
 * 406.
 */
export function negotiateAnswer(context: RequestContext, offer: Offer): Accepted {
  const accepted = negotiate(context.headers.accept, offer);
  return accepted.media === 'json' && !accepted.pretty && wantsPretty(context)
    ? { ...accepted, pretty: true }
    : accepted;
}

/** Whether an answer is for a person: by the query, or by default for clients that people use. */
export function wantsPretty(context: RequestContext): boolean {
  const asked = context.hasQuery ? context.query.get('pretty') : null;
  if (asked !== null && asked !== '') return trueWords.has(asked);
  return peoplesClient.test(context.headers['user-agent'] ?? '');
}
