import { negotiate, type Accepted, type Offer } from './negotiation.ts';
import type { RequestContext } from '../request/request-context.ts';

/** What strconv.ParseBool takes for true. */
const trueWords: ReadonlySet<string> = new Set(['1', 't', 'T', 'true', 'TRUE', 'True']);
/** Clients that a person looks at. */
const peoplesClient = /^(?:curl|Wget|Mozilla\/5\.0)/;

/**
 * Picks the form of a request's answer from its Accept header; JSON is indented for whom `wantsPretty` says. Throws
 * 406.
 */
export function negotiateAnswer(context: RequestContext, offer: Offer): Accepted {
  const accepted = negotiate(context.headers.accept, offer);
  return accepted.media === 'json' && !accepted.pretty && wantsPretty(context)
    ? { ...accepted, pretty: true }
    : accepted;
}

/**
 * Whether an answer is for the eyes of a person: the query says so, or, where it says nothing, the client is one that
 * people use.
 */
export function wantsPretty(context: RequestContext): boolean {
  const asked = context.hasQuery ? context.query.get('pretty') : null;
  if (asked !== null && asked !== '') return trueWords.has(asked);
  return peoplesClient.test(context.headers['user-agent'] ?? '');
}
