import type * as v1 from '../../generated/types/rbac-v1.ts';
import type * as alpha from '../../generated/types/rbac-v1alpha1.ts';
import { RBAC_GROUP } from './rbac-group.ts';

type Binding = Pick<v1.RoleBinding, 'roleRef' | 'subjects'>;
type AlphaBinding = Pick<alpha.RoleBinding, 'roleRef' | 'subjects'>;

/** Roles, users and groups are of the RBAC group; service accounts of the core group. */
export function setBindingDefaults(binding: Binding): void {
  binding.roleRef.apiGroup ||= RBAC_GROUP;
  for (const subject of binding.subjects ?? []) {
    if (subject.kind === 'User' || subject.kind === 'Group') subject.apiGroup ||= RBAC_GROUP;
  }
}

export function setAlphaBindingDefaults(binding: AlphaBinding): void {
  binding.roleRef.apiGroup ||= RBAC_GROUP;
  for (const subject of binding.subjects ?? []) {
    if (subject.kind === 'ServiceAccount') subject.apiVersion ||= 'v1';
    else if (subject.kind === 'User' || subject.kind === 'Group') subject.apiVersion ||= `${RBAC_GROUP}/v1alpha1`;
  }
}
