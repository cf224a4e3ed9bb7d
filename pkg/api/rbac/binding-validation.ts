import { deepEqual } from '../../apimachinery/json/deep.ts';
import type { FieldErrors } from '../../apimachinery/errors/field-errors.ts';
import { field, type FieldPath } from '../../apimachinery/errors/field-path.ts';
import { goStruct } from '../../apimachinery/values/go-format.ts';
import { nameIsDns1123Subdomain, nameIsPathSegment } from '../../apimachinery/names/names.ts';
import type { RoleBinding, RoleRef, Subject } from '../../generated/types/rbac-v1.ts';
import { RBAC_GROUP } from './rbac-group.ts';

type Binding = Pick<RoleBinding, 'roleRef' | 'subjects'>;

/** Checks the common part of both kinds of binding; `roleKinds` are the kinds of role that may be referred to. */
export function validateBinding(
  binding: Binding,
  roleKinds: readonly string[],
  namespaced: boolean,
  errors: FieldErrors,
): void {
  const path = field('roleRef');
  const { apiGroup, kind, name } = binding.roleRef;
  if (apiGroup !== RBAC_GROUP) errors.notSupported(path.child('apiGroup'), apiGroup, [RBAC_GROUP]);
  if (!roleKinds.includes(kind)) errors.notSupported(path.child('kind'), kind, roleKinds);
  if (name === '') errors.required(path.child('name'));
  else for (const problem of nameIsPathSegment(name, false)) errors.invalid(path.child('name'), name, problem);
  for (const [i, subject] of (binding.subjects ?? []).entries())
    validateSubject(subject, namespaced, field('subjects').index(i), errors);
}

/** The role is immutable; stock servers check the rest of an update twice, and report errors twice. */
export function validateBindingUpdate(
  binding: Binding,
  old: Binding,
  roleKinds: readonly string[],
  namespaced: boolean,
  errors: FieldErrors,
): void {
  validateBinding(binding, roleKinds, namespaced, errors);
  validateBinding(binding, roleKinds, namespaced, errors);
  if (!deepEqual(binding.roleRef, old.roleRef))
    errors.invalid(field('roleRef'), goRoleRef(binding.roleRef), 'cannot change roleRef');
}

function validateSubject(subject: Subject, namespaced: boolean, path: FieldPath, errors: FieldErrors): void {
  const { kind, name, namespace } = subject;
  const apiGroup = subject.apiGroup ?? '';
  if (name === '') errors.required(path.child('name'));
  switch (kind) {
    case 'ServiceAccount':
      if (name !== '')
        for (const problem of nameIsDns1123Subdomain(name, false)) errors.invalid(path.child('name'), name, problem);
      if (apiGroup !== '') errors.notSupported(path.child('apiGroup'), apiGroup, ['']);
      if (!namespaced && !namespace) errors.required(path.child('namespace'));
      break;
    case 'User':
    case 'Group':
      if (apiGroup !== RBAC_GROUP) errors.notSupported(path.child('apiGroup'), apiGroup, [RBAC_GROUP]);
      break;
    default:
      errors.notSupported(path.child('kind'), kind, ['ServiceAccount', 'User', 'Group']);
  }
}

function goRoleRef({ apiGroup, kind, name }: RoleRef): unknown {
  return goStruct({ APIGroup: apiGroup, Kind: kind, Name: name });
}
