import type { ApiGroup } from '../api-group.ts';
import type {
  LocalSubjectAccessReview,
  SelfSubjectAccessReview,
  SelfSubjectRulesReview,
  SubjectAccessReview,
} from '../../generated/types/authorization-v1.ts';
import { defineResource, type KindVersion } from '../resource-definition.ts';
import { reviewFromV1, reviewToV1 } from './conversion.ts';
import {
  validateLocalSubjectAccessReview,
  validateSelfSubjectAccessReview,
  validateSubjectAccessReview,
} from './validation.ts';

/** Reviews of the authorization group: answered and not stored. */

const shared = {
  group: 'authorization.k8s.io',
  verbs: ['create'],
  virtual: true,
  hub: 'authorization.k8s.io/v1',
  storageVersion: 'authorization.k8s.io/v1',
  storagePath: '',
  validateName: () => [],
} as const;

/** Both versions of a kind; `convert` for those whose older version names the groups differently. */
function versions(kind: string, convert: Pick<KindVersion, 'toHub' | 'fromHub'> = {}): KindVersion[] {
  return [
    { groupVersion: 'authorization.k8s.io/v1', message: `authorization/v1.${kind}` },
    { groupVersion: 'authorization.k8s.io/v1beta1', message: `authorization/v1beta1.${kind}`, ...convert },
  ];
}

/** Checks whether some user may do something. */
export const subjectAccessReview = defineResource<SubjectAccessReview>({
  ...shared,
  resource: 'subjectaccessreviews',
  kind: 'SubjectAccessReview',
  singular: 'subjectaccessreview',
  namespaced: false,
  versions: versions('SubjectAccessReview', { toHub: reviewToV1, fromHub: reviewFromV1 }),
  validate: validateSubjectAccessReview,
});

/** The same within one namespace, so that its owners may check. */
export const localSubjectAccessReview = defineResource<LocalSubjectAccessReview>({
  ...shared,
  resource: 'localsubjectaccessreviews',
  kind: 'LocalSubjectAccessReview',
  singular: 'localsubjectaccessreview',
  namespaced: true,
  versions: versions('LocalSubjectAccessReview', { toHub: reviewToV1, fromHub: reviewFromV1 }),
  validate: validateLocalSubjectAccessReview,
});

/** Checks whether the caller may do something. */
export const selfSubjectAccessReview = defineResource<SelfSubjectAccessReview>({
  ...shared,
  resource: 'selfsubjectaccessreviews',
  kind: 'SelfSubjectAccessReview',
  singular: 'selfsubjectaccessreview',
  namespaced: false,
  versions: versions('SelfSubjectAccessReview'),
  validate: validateSelfSubjectAccessReview,
});

/** Lists all that the caller may do in a namespace. */
export const selfSubjectRulesReview = defineResource<SelfSubjectRulesReview>({
  ...shared,
  resource: 'selfsubjectrulesreviews',
  kind: 'SelfSubjectRulesReview',
  singular: 'selfsubjectrulesreview',
  namespaced: false,
  versions: versions('SelfSubjectRulesReview'),
});

export const authorizationGroup: ApiGroup = {
  name: 'authorization.k8s.io',
  priority: 17600,
  resources: [subjectAccessReview, localSubjectAccessReview, selfSubjectAccessReview, selfSubjectRulesReview],
};
