import type { Status } from '../../apimachinery/errors/status-error.ts';
import { negotiateAnswer } from '../answers/negotiate-answer.ts';
import type { Accepted } from '../answers/negotiation.ts';
import type { RequestContext } from '../request/request-context.ts';
import { respondDocument } from '../answers/respond.ts';

/** Picks the form of an answer that is a Status, before any work is done. Throws 406. */
export function negotiateStatus(context: RequestContext): Accepted {
  const accepted = negotiateAnswer(context, { protobuf: true, transforms: 'metadata' });
  // A Status is what it is: it has no table.
  return { media: accepted.media, pretty: accepted.pretty };
}

/** Answers a create that leaves nothing behind to show. */
export function answerCreatedStatus(context: RequestContext, status: Status, accepted: Accepted): void {
  const answer: Status = { ...status, code: status.code ?? 201 };
  respondDocument(context, 201, answer, 'meta/v1.Status', accepted);
}
