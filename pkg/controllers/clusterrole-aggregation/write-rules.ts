import { isConflict, isNotFound } from '../../apimachinery/errors/status-error.ts';
import type { ClusterRole, PolicyRule } from '../../generated/types/rbac-v1.ts';
import { hasRules } from './gather-rules.ts';

const TRIES_MAX = 5;

export interface RoleFunctions {
  /** From the server, not from a cache. */
  readonly readRole: (name: string) => Promise<ClusterRole>;
  readonly updateRole: (role: ClusterRole) => Promise<ClusterRole>;
}

/**
 * Replaces the role's rules, again on its newest state after a conflict. Undefined where there is nothing to write: it
 * is deleted, aggregates no more, or has these rules.
 */
export async function writeRules(
  role: ClusterRole,
  rules: readonly PolicyRule[],
  { readRole, updateRole }: RoleFunctions,
): Promise<ClusterRole | undefined> {
  for (let tries = 1, current = role; ; tries++) {
    if (current.aggregationRule === undefined || hasRules(current, rules)) return undefined;
    try {
      return await updateRole({ ...current, rules: [...rules] });
    } catch (error) {
      if (isNotFound(error)) return undefined;
      if (!isConflict(error) || tries === TRIES_MAX) throw error;
    }
    try {
      current = await readRole(role.metadata.name!);
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }
}
