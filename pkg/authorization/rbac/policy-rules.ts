import type { PolicyRule } from '../../generated/types/rbac-v1.ts';
import type { AuthorizationAttributes } from '../authorizer.ts';

/** What single rules of roles mean. The compiled form of whole roles (`compiled-role.ts`) must agree with this; a test compares them. */

export const ALL = '*';

/** Whether a rule lets the request through. */
export function ruleAllows(rule: PolicyRule, asked: AuthorizationAttributes): boolean {
  if (!matchesAny(rule.verbs, asked.verb)) return false;
  if (!asked.isResource) return rule.nonResourceURLs?.some((url) => urlMatches(url, asked.path)) === true;
  return matchesAny(rule.apiGroups, asked.apiGroup) && resourceMatches(rule, asked) && nameMatches(rule, asked.name);
}

function matchesAny(values: readonly string[] | null | undefined, wanted: string): boolean {
  return values?.some((value) => value === ALL || value === wanted) === true;
}

function resourceMatches({ resources = [] }: PolicyRule, { resource, subresource }: AuthorizationAttributes): boolean {
  const combined = resourcePath(resource, subresource);
  return resources.some((value) => value === ALL || value === combined || (subresource !== '' && value === `*/${subresource}`));
}

function nameMatches({ resourceNames = [] }: PolicyRule, name: string): boolean {
  return resourceNames.length === 0 || resourceNames.includes(name);
}

/** `pods/log`, or `pods` where there is no subresource. */
export function resourcePath(resource: string, subresource: string): string {
  return subresource === '' ? resource : `${resource}/${subresource}`;
}

/** A URL of a rule: a path, or with `*` at its end everything that begins so. */
export function urlMatches(pattern: string, path: string): boolean {
  return pattern === path || (pattern.endsWith(ALL) && path.startsWith(pattern.replace(/\*+$/, '')));
}
