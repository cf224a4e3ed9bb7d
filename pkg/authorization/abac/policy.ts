import type { UserInfo } from '../../api/resource-definition.ts';
import type { AuthorizationAttributes } from '../authorizer.ts';
import { urlMatches } from '../rbac/policy-rules.ts';

/** One line of a policy file in its newest form. Empty text matches nothing, `*` everything. */
export interface AbacPolicy {
  readonly user: string;
  readonly group: string;
  /** Allows only reads. */
  readonly readonly: boolean;
  readonly apiGroup: string;
  readonly resource: string;
  readonly namespace: string;
  /** A path, or a prefix with `*` at its end. */
  readonly nonResourcePath: string;
}

const readVerbs: ReadonlySet<string> = new Set(['get', 'list', 'watch']);

/** Whether a line allows the request. */
export function policyAllows(policy: AbacPolicy, asked: AuthorizationAttributes): boolean {
  if (!policyNames(policy, asked.user)) return false;
  if (policy.readonly && !readVerbs.has(asked.verb)) return false;
  if (!asked.isResource) return urlMatches(policy.nonResourcePath, asked.path);
  return (
    matches(policy.namespace, asked.namespace) &&
    matches(policy.resource, asked.resource) &&
    matches(policy.apiGroup, asked.apiGroup)
  );
}

/** Whether a line applies to a user: by user name, by group, or by both where it has both. */
export function policyNames({ user, group }: AbacPolicy, { name, groups }: UserInfo): boolean {
  if (user === '' && group === '') return false;
  return (user === '' || matches(user, name)) && (group === '' || group === '*' || groups.includes(group));
}

function matches(pattern: string, value: string): boolean {
  return pattern === '*' || pattern === value;
}
