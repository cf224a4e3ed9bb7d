import { badRequest } from '../../apimachinery/errors/status-error.ts';
import type { Authorizer, SubjectRules } from '../../authorization/authorizer.ts';
import type { SelfSubjectRulesReview, SubjectRulesReviewStatus } from '../../generated/types/authorization-v1.ts';
import { reviewHandler } from './review.ts';
import type { KindHandler } from '../subresources/subresource-handlers.ts';

/**
 * The rules of the caller in a namespace, as far as the authorizers can list them. The answer doesn't repeat the
 * request.
 */
export function handleSelfSubjectRulesReview(authorizer: Authorizer): KindHandler {
  return reviewHandler<SelfSubjectRulesReview>(async (review, user) => {
    const { namespace } = review.spec;
    if (!namespace) throw badRequest('no namespace on request');
    review.metadata = {};
    review.spec = {};
    review.status = statusOf(await authorizer.rulesFor(user, namespace));
  });
}

function statusOf({
  resourceRules,
  nonResourceRules,
  incomplete,
  evaluationError,
}: SubjectRules): SubjectRulesReviewStatus {
  return {
    resourceRules: resourceRules.map(({ verbs, apiGroups, resources, resourceNames }) => ({
      verbs: [...verbs],
      apiGroups: [...apiGroups],
      resources: [...resources],
      ...(resourceNames === undefined ? {} : { resourceNames: [...resourceNames] }),
    })),
    nonResourceRules: nonResourceRules.map(({ verbs, nonResourceURLs }) => ({
      verbs: [...verbs],
      nonResourceURLs: [...nonResourceURLs],
    })),
    incomplete,
    ...(evaluationError === undefined ? {} : { evaluationError }),
  };
}
