import type { Authorizer } from '../authorizer.ts';
import { policyAllows, policyNames, type AbacPolicy } from './policy.ts';

const readonlyVerbs = ['get', 'list', 'watch'];

/** Mode ABAC: allows requests that match a line of the policy file. */
export function abacAuthorizer(policies: readonly AbacPolicy[]): Authorizer {
  return {
    name: 'ABAC',
    authorize(attributes) {
      const isAllowed = policies.some((policy) => policyAllows(policy, attributes));
      return isAllowed ? { decision: 'allow', reason: '' } : { decision: 'no-opinion', reason: 'No policy matched.' };
    },
    rulesFor(user, namespace) {
      const own = policies.filter(
        (policy) => policyNames(policy, user) && (policy.namespace === '*' || policy.namespace === namespace),
      );
      return {
        resourceRules: own
          .filter(({ resource }) => resource !== '')
          .map(({ readonly, apiGroup, resource }) => ({
            verbs: verbsOf(readonly),
            apiGroups: [apiGroup],
            resources: [resource],
          })),
        nonResourceRules: own
          .filter(({ nonResourcePath }) => nonResourcePath !== '')
          .map(({ readonly, nonResourcePath }) => ({ verbs: verbsOf(readonly), nonResourceURLs: [nonResourcePath] })),
        incomplete: false,
      };
    },
  };
}

function verbsOf(readonly: boolean): readonly string[] {
  return readonly ? readonlyVerbs : ['*'];
}
