import type { ApiGroup } from '../api-group.ts';
import type { SelfSubjectReview, TokenReview } from '../../generated/types/authentication-v1.ts';
import { defineResource } from '../resource-definition.ts';

/** Reviews of the authentication group: answered and not stored. */

/** Authenticates a bearer token. */
export const tokenReview = defineResource<TokenReview>({
  group: 'authentication.k8s.io',
  resource: 'tokenreviews',
  kind: 'TokenReview',
  singular: 'tokenreview',
  namespaced: false,
  verbs: ['create'],
  virtual: true,
  hub: 'authentication.k8s.io/v1',
  storageVersion: 'authentication.k8s.io/v1',
  storagePath: '',
  versions: [
    { groupVersion: 'authentication.k8s.io/v1', message: 'authentication/v1.TokenReview' },
    { groupVersion: 'authentication.k8s.io/v1beta1', message: 'authentication/v1beta1.TokenReview' },
  ],
  validateName: () => [],
});

/** Shows the caller's user as the server sees it. */
export const selfSubjectReview = defineResource<SelfSubjectReview>({
  group: 'authentication.k8s.io',
  resource: 'selfsubjectreviews',
  kind: 'SelfSubjectReview',
  singular: 'selfsubjectreview',
  namespaced: false,
  verbs: ['create'],
  virtual: true,
  hub: 'authentication.k8s.io/v1',
  storageVersion: 'authentication.k8s.io/v1',
  storagePath: '',
  versions: [
    { groupVersion: 'authentication.k8s.io/v1', message: 'authentication/v1.SelfSubjectReview' },
    { groupVersion: 'authentication.k8s.io/v1beta1', message: 'authentication/v1beta1.SelfSubjectReview' },
  ],
  validateName: () => [],
});

export const authenticationGroup: ApiGroup = {
  name: 'authentication.k8s.io',
  priority: 17700,
  resources: [tokenReview, selfSubjectReview],
};
