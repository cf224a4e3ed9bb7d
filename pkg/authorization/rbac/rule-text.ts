import { goQuote } from '../../apimachinery/values/go-format.ts';
import type { PolicyRule } from '../../generated/types/rbac-v1.ts';

/** Rules as errors list them: one line each, sorted, verbs on one resource joined. */
export function ruleLines(rules: readonly PolicyRule[]): string[] {
  return [...new Set(compacted(rules).map(ruleText))].sort();
}

function ruleText({ apiGroups, resources, nonResourceURLs, resourceNames, verbs }: PolicyRule): string {
  const parts = [
    ['APIGroups', apiGroups],
    ['Resources', resources],
    ['NonResourceURLs', nonResourceURLs],
    ['ResourceNames', resourceNames],
    ['Verbs', verbs],
  ] as const;
  return `{${parts
    .filter(([, values]) => values && values.length > 0)
    .map(([name, values]) => `${name}:${quotedList(values!)}`)
    .join(', ')}}`;
}

/** `["a" "b"]`, as Go prints lists of strings. */
export function quotedList(values: readonly string[]): string {
  return `[${values.map(goQuote).join(' ')}]`;
}

/**
 * Joins rules that differ in their verbs alone. Takes rules of one group, resource and name at most; leaves others
 * unchanged.
 */
function compacted(rules: readonly PolicyRule[]): PolicyRule[] {
  const others: PolicyRule[] = [];
  const byResource = new Map<string, PolicyRule & { readonly verbs: string[] }>();
  for (const rule of rules) {
    const key = resourceKey(rule);
    if (key === undefined) {
      others.push(rule);
      continue;
    }
    const known = byResource.get(key);
    if (known === undefined) byResource.set(key, { ...rule, verbs: [...(rule.verbs ?? [])] });
    else for (const verb of rule.verbs ?? []) known.verbs.push(verb);
  }
  return [...others, ...byResource.values()];
}

function resourceKey({
  apiGroups,
  resources,
  nonResourceURLs = [],
  resourceNames = [],
}: PolicyRule): string | undefined {
  if (apiGroups?.length !== 1 || resources?.length !== 1 || nonResourceURLs.length > 0 || resourceNames.length > 1)
    return undefined;
  return JSON.stringify([apiGroups[0], resources[0], ...resourceNames]);
}
