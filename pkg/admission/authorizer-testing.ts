import type { AuthorizationAttributes, Authorizer } from '../authorization/authorizer.ts';

/** For tests of plugins: allows requests for which `allows` is true, and records them. */
export function authorizerOf(
  allows: (attributes: AuthorizationAttributes) => boolean,
): Authorizer & { asked: AuthorizationAttributes[] } {
  const asked: AuthorizationAttributes[] = [];
  return {
    name: 'test',
    asked,
    authorize(attributes) {
      asked.push(attributes);
      return allows(attributes) ? { decision: 'allow', reason: '' } : { decision: 'no-opinion', reason: 'no rule' };
    },
    rulesFor: () => ({ resourceRules: [], nonResourceRules: [], incomplete: false }),
  };
}
