import { notAcceptable } from '../../apimachinery/errors/status-error.ts';
import type { ApiObject } from '../../apimachinery/meta/object.ts';
import type { Accepted } from '../answers/negotiation.ts';
import { partialTarget } from '../representation/partial-metadata.ts';
import type { RequestContext } from '../request/request-context.ts';
import { respondDocument } from '../answers/respond.ts';

/**
 * Answers a POST of a kind that is never stored, in the form that was negotiated: itself or its metadata. `message` is
 * its type in `proto/`.
 */
export function answerReview(
  context: RequestContext,
  review: ApiObject,
  message: string,
  { media, pretty, transform }: Accepted,
): void {
  if (transform === undefined) {
    respondDocument(context, 201, review, message, { media, pretty });
    return;
  }
  if (transform.as !== 'PartialObjectMetadata')
    throw notAcceptable(`you requested ${transform.as}, but the requested object is not a list`);
  const { groupVersion, kind } = partialTarget(transform.version);
  respondDocument(
    context,
    201,
    { kind, apiVersion: groupVersion, metadata: review.metadata } as ApiObject,
    'meta/v1.PartialObjectMetadata',
    { media, pretty },
  );
}
