import type { PolicyRule } from '../../generated/types/rbac-v1.ts';
import { ALL, urlMatches } from './policy-rules.ts';

/** Combinations of group, resource, name and verb that are looked at one by one: a small rule can have billions. */
const COMBINATIONS_MAX = 50_000;

/** Rules have more combinations than can be compared one by one. The message says how many there may be. */
export class TooManyCombinationsError extends Error {
  constructor() {
    super(`more than ${COMBINATIONS_MAX} combinations of groups, resources, names and verbs`);
    this.name = 'TooManyCombinationsError';
  }
}

/** A rule that somebody has. */
interface HeldRule {
  readonly verbs: ReadonlySet<string>;
  readonly groups: ReadonlySet<string>;
  readonly resources: ReadonlySet<string>;
  /** Absent: objects of any name. */
  readonly names: ReadonlySet<string> | undefined;
  readonly urls: readonly string[];
}

/**
 * Which of `wanted` the rules in `held` do not give, in rules of one verb on one resource (and name) or one URL. Empty: everything is held.
 * Throws `TooManyCombinationsError` for rules that none of those held gives whole.
 */
export function missingRules(held: readonly PolicyRule[], wanted: readonly PolicyRule[]): PolicyRule[] {
  const owned = held.map(heldRule);
  const others = wanted.filter((rule) => !owned.some((one) => givesWhole(one, rule)));
  if (others.reduce((sum, rule) => sum + combinations(rule), 0) > COMBINATIONS_MAX) throw new TooManyCombinationsError();
  return others.flatMap((rule) => [...missingResources(owned, rule), ...missingUrls(owned, rule)]);
}

function heldRule({ verbs, apiGroups, resources, resourceNames = [], nonResourceURLs = [] }: PolicyRule): HeldRule {
  return { verbs: new Set(verbs), groups: new Set(apiGroups), resources: new Set(resources), names: resourceNames.length === 0 ? undefined : new Set(resourceNames), urls: nonResourceURLs };
}

/** Whether one rule gives all of another that is about resources. */
function givesWhole({ verbs, groups, resources, names }: HeldRule, wanted: PolicyRule): boolean {
  const { apiGroups = [], resourceNames = [], nonResourceURLs = [] } = wanted;
  return nonResourceURLs.length === 0 && (wanted.verbs ?? []).every((verb) => has(verbs, verb)) && apiGroups.every((group) => has(groups, group))
    && (wanted.resources ?? []).every((resource) => hasResource(resources, resource))
    && (names === undefined || (resourceNames.length > 0 && resourceNames.every((name) => names.has(name))));
}

function combinations({ verbs, apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] }: PolicyRule): number {
  return (verbs ?? []).length * (apiGroups.length * resources.length * Math.max(1, resourceNames.length) + nonResourceURLs.length);
}

function missingResources(held: readonly HeldRule[], { verbs, apiGroups = [], resources = [], resourceNames = [] }: PolicyRule): PolicyRule[] {
  const missing: PolicyRule[] = [];
  for (const apiGroup of apiGroups) {
    const inGroup = held.filter(({ groups }) => has(groups, apiGroup));
    for (const resource of resources) {
      const onResource = inGroup.filter((rule) => hasResource(rule.resources, resource));
      for (const verb of verbs ?? []) {
        const doing = onResource.filter((rule) => has(rule.verbs, verb));
        if (doing.some(({ names }) => names === undefined)) continue;
        const rule = { apiGroups: [apiGroup], resources: [resource], verbs: [verb] };
        if (resourceNames.length === 0) missing.push(rule);
        for (const name of resourceNames) if (!doing.some(({ names }) => names?.has(name))) missing.push({ ...rule, resourceNames: [name] });
      }
    }
  }
  return missing;
}

function missingUrls(held: readonly HeldRule[], { verbs, nonResourceURLs = [] }: PolicyRule): PolicyRule[] {
  const missing: PolicyRule[] = [];
  for (const url of nonResourceURLs) {
    const onUrl = held.filter(({ names, urls }) => names === undefined && urls.some((owned) => urlMatches(owned, url)));
    for (const verb of verbs ?? []) if (!onUrl.some((rule) => has(rule.verbs, verb))) missing.push({ nonResourceURLs: [url], verbs: [verb] });
  }
  return missing;
}

function has(held: ReadonlySet<string>, wanted: string): boolean {
  return held.has(ALL) || held.has(wanted);
}

/** A subresource is also given by the same one of all resources. */
function hasResource(held: ReadonlySet<string>, wanted: string): boolean {
  const slash = wanted.indexOf('/');
  return has(held, wanted) || (slash >= 0 && held.has(`*${wanted.slice(slash)}`));
}
