import type { PolicyRule } from '../../generated/types/rbac-v1.ts';
import { ALL, urlMatches } from './policy-rules.ts';

/** Which of `wanted` the rules in `held` do not give, in rules of one verb on one resource (and name) or one URL. Empty: everything is held. */
export function missingRules(held: readonly PolicyRule[], wanted: readonly PolicyRule[]): PolicyRule[] {
  return wanted.flatMap(breakDown).filter((single) => !held.some((rule) => covers(rule, single)));
}

/** A rule as rules of one verb, group, resource and name each. */
function breakDown({ verbs, apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] }: PolicyRule): PolicyRule[] {
  const single: PolicyRule[] = [];
  for (const apiGroup of apiGroups) {
    for (const resource of resources) {
      for (const verb of verbs ?? []) {
        const rule = { apiGroups: [apiGroup], resources: [resource], verbs: [verb] };
        if (resourceNames.length === 0) single.push(rule);
        else single.push(...resourceNames.map((name) => ({ ...rule, resourceNames: [name] })));
      }
    }
  }
  for (const url of nonResourceURLs) for (const verb of verbs ?? []) single.push({ nonResourceURLs: [url], verbs: [verb] });
  return single;
}

function covers(held: PolicyRule, single: PolicyRule): boolean {
  return hasAll(held.verbs, single.verbs) && hasAll(held.apiGroups, single.apiGroups) && (single.resources ?? []).every((resource) => coversResource(held, resource))
    && coversNames(held, single) && (single.nonResourceURLs ?? []).every((url) => (held.nonResourceURLs ?? []).some((owned) => urlMatches(owned, url)));
}

function hasAll(held: readonly string[] | null | undefined, wanted: readonly string[] | null | undefined): boolean {
  return (wanted ?? []).every((value) => held?.includes(ALL) === true || held?.includes(value) === true);
}

function coversResource({ resources = [] }: PolicyRule, wanted: string): boolean {
  const slash = wanted.indexOf('/');
  return resources.includes(ALL) || resources.includes(wanted) || (slash >= 0 && resources.includes(`*${wanted.slice(slash)}`));
}

/** Rules without names are for all names; only they cover others of their kind. */
function coversNames(held: PolicyRule, single: PolicyRule): boolean {
  const owned = held.resourceNames ?? [];
  if (owned.length === 0) return true;
  const wanted = single.resourceNames ?? [];
  return wanted.length > 0 && wanted.every((name) => owned.includes(name));
}
