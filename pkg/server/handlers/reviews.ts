import { badRequest } from '../../apimachinery/status-error.ts';
import type { SelfSubjectAccessReview, SelfSubjectRulesReview, SubjectAccessReview } from '../../generated/types/authorization-v1.ts';
import { reviewHandler } from './review.ts';
import type { SubresourceHandler } from './subresource-handlers.ts';

const MASTERS = 'system:masters';

/** Until there are rules: masters may do everything and nobody else anything. */
function decide(groups: readonly string[] | undefined): { allowed: boolean } {
  return { allowed: groups?.includes(MASTERS) === true };
}

const subjectAccess = reviewHandler<SubjectAccessReview>((object) => {
  object.status = decide(object.spec.groups);
});

const selfSubjectAccess = reviewHandler<SelfSubjectAccessReview>((object, user) => {
  object.status = decide(user.groups);
});

const selfSubjectRules = reviewHandler<SelfSubjectRulesReview>((object, user) => {
  if (!object.spec.namespace) throw badRequest('no namespace on request');
  const isMaster = user.groups.includes(MASTERS);
  object.spec = {};
  object.status = {
    resourceRules: isMaster ? [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }] : [],
    nonResourceRules: isMaster ? [{ verbs: ['*'], nonResourceURLs: ['*'] }] : [],
    incomplete: false,
  };
});

/** Handlers of all access reviews by their resource. */
export const accessReviewHandlers: ReadonlyMap<string, SubresourceHandler> = new Map([
  ['subjectaccessreviews.authorization.k8s.io', subjectAccess],
  ['localsubjectaccessreviews.authorization.k8s.io', subjectAccess],
  ['selfsubjectaccessreviews.authorization.k8s.io', selfSubjectAccess],
  ['selfsubjectrulesreviews.authorization.k8s.io', selfSubjectRules],
]);
