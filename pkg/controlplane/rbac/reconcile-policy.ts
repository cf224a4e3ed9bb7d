import { getKey } from '../../apimachinery/json/own-keys.ts';
import { deepEqual } from '../../apimachinery/json/deep.ts';
import { AUTOUPDATE } from '../../authorization/rbac/default-policy/default-policy.ts';
import { missingRules } from '../../authorization/rbac/covers.ts';
import type { ClusterRole, Role, RoleBinding } from '../../generated/types/rbac-v1.ts';

/**
 * What a starting server does to roles and bindings that are there already: adds what its own policy has and they lack,
 * and takes nothing away.
 */

type Metadata = Role['metadata'];

/** Whether the object's owners keep servers from changing it. */
export function isProtected({ annotations }: Metadata): boolean {
  return getKey(annotations, AUTOUPDATE) === 'false';
}

/** Changes a role in place; returns nothing. */
export function addMissingRules(role: Role | ClusterRole, expected: Role | ClusterRole): void {
  addMarks(role.metadata, expected.metadata);
  const missing = missingRules(role.rules ?? [], expected.rules ?? [], Number.POSITIVE_INFINITY);
  if (missing.length > 0) role.rules = [...(role.rules ?? []), ...missing];
  addMissingSelectors(role, expected);
}

/** A role that is no longer aggregated keeps what it had gathered. */
function addMissingSelectors(role: ClusterRole, { aggregationRule: expected }: ClusterRole): void {
  if (expected === undefined) {
    delete role.aggregationRule;
    return;
  }
  const known = role.aggregationRule?.clusterRoleSelectors ?? [];
  const missing = (expected.clusterRoleSelectors ?? []).filter(
    (selector) => !known.some((other) => deepEqual(selector, other)),
  );
  if (missing.length > 0) role.aggregationRule = { clusterRoleSelectors: [...known, ...missing] };
}

/** Changes a binding in place; its role must be the expected one. */
export function addMissingSubjects(binding: RoleBinding, expected: RoleBinding): void {
  addMarks(binding.metadata, expected.metadata);
  const known = binding.subjects ?? [];
  const missing = (expected.subjects ?? []).filter((subject) => !known.some((other) => deepEqual(subject, other)));
  if (missing.length > 0) binding.subjects = [...known, ...missing];
}

/** What owners wrote under the same keys stays. */
function addMarks(metadata: Metadata, expected: Metadata): void {
  metadata.labels = { ...expected.labels, ...metadata.labels };
  metadata.annotations = { ...expected.annotations, ...metadata.annotations };
}
