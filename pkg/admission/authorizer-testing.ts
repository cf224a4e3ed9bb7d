import type { AuthorizationAttributes, Authorizer } from '../authorization/authorizer.ts';

/** For tests of plugins: allows what `allows` is true for, and keeps what it was asked. */
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
