import type { ClusterRole, PolicyRule } from '../../generated/types/rbac-v1.ts';
import { gatherRules, hasRules, type RulesOf } from './gather-rules.ts';
import { writeRules, type RoleFunctions } from './write-rules.ts';

export interface AggregationSteps extends RoleFunctions {
  readonly roleOf: (name: string) => ClusterRole | undefined;
  readonly roles: () => readonly ClusterRole[];
  readonly rulesOf: RulesOf;
  /** The rules were written; `replaced` is what the cache still shows. */
  readonly written: (replaced: ClusterRole, rules: readonly PolicyRule[]) => void;
}

/** One role: gathers its rules, and writes them where they are others. */
export async function reconcile(name: string, steps: AggregationSteps): Promise<void> {
  const role = steps.roleOf(name);
  if (role?.aggregationRule === undefined) return;
  const rules = gatherRules(role, steps.roles(), steps.rulesOf);
  if (hasRules(role, rules)) return;
  if ((await writeRules(role, rules, steps)) !== undefined) steps.written(role, rules);
}
