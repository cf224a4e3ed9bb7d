import type { Authorizer } from '../../authorization/authorizer.ts';
import type { SelfSubjectAccessReview } from '../../generated/types/authorization-v1.ts';
import { accessReviewStatus } from './access-review-status.ts';
import { reviewHandler } from './review.ts';
import type { KindHandler } from '../subresources/subresource-handlers.ts';

/** Whether the caller may do something. */
export function handleSelfSubjectAccessReview(authorizer: Authorizer): KindHandler {
  return reviewHandler<SelfSubjectAccessReview>(async (review, user) => {
    review.status = await accessReviewStatus(authorizer, review.spec, user);
  });
}
