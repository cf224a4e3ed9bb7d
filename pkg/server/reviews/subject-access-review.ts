import type { Authorizer } from '../../authorization/authorizer.ts';
import type { SubjectAccessReview } from '../../generated/types/authorization-v1.ts';
import { accessReviewStatus } from './access-review-status.ts';
import { reviewHandler } from './review.ts';
import type { KindHandler } from '../subresources/subresource-handlers.ts';

/** Whether a user may do something; the local kind is the same within its namespace. */
export function handleSubjectAccessReview(authorizer: Authorizer): KindHandler {
  return reviewHandler<SubjectAccessReview>(async (review) => {
    const { user = '', uid, groups = [], extra } = review.spec;
    const known = {
      name: user,
      groups,
      ...(uid === undefined ? {} : { uid }),
      ...(extra === undefined ? {} : { extra }),
    };
    review.status = await accessReviewStatus(authorizer, review.spec, known);
  });
}
