import { deepEqual } from '../../apimachinery/json/deep.ts';
import { labelSelectorAsSelector } from '../../apimachinery/selectors/label-selector.ts';
import type { ClusterRole, PolicyRule } from '../../generated/types/rbac-v1.ts';

/** Rules of each role as they are to be seen. */
export type RulesOf = (role: ClusterRole) => readonly PolicyRule[];

/**
 * The rules of all roles that the selectors find, selector by selector, by the names of the roles, each rule once: the
 * order of the stock controller, which would undo any other. No role is a part of itself.
 */
export function gatherRules(role: ClusterRole, roles: readonly ClusterRole[], rulesOf: RulesOf): PolicyRule[] {
  const found = new Map<string, PolicyRule>();
  const byName = roles.toSorted((a, b) => (a.metadata.name! < b.metadata.name! ? -1 : 1));
  for (const selector of (role.aggregationRule?.clusterRoleSelectors ?? []).map(labelSelectorAsSelector)) {
    for (const part of byName) {
      if (part.metadata.name === role.metadata.name || !selector.matches(part.metadata.labels)) continue;
      for (const rule of rulesOf(part)) {
        const key = JSON.stringify(rule);
        if (!found.has(key)) found.set(key, rule);
      }
    }
  }
  return [...found.values()];
}

export function hasRules(role: ClusterRole, rules: readonly PolicyRule[]): boolean {
  return deepEqual(role.rules ?? [], rules);
}
