import type { SubjectAccessReview as Review } from '../../generated/types/authorization-v1.ts';
import type { SubjectAccessReview as ReviewV1beta1 } from '../../generated/types/authorization-v1beta1.ts';

/** The versions differ in one name: `spec.groups` was `spec.group`. */
export function reviewToV1(review: ReviewV1beta1): Review {
  const { group, ...spec } = review.spec;
  return { ...review, spec: group === undefined ? spec : { ...spec, groups: group } };
}

export function reviewFromV1(review: Review): ReviewV1beta1 {
  const { groups, ...spec } = review.spec;
  return { ...review, spec: groups === undefined ? spec : { ...spec, group: groups } };
}
