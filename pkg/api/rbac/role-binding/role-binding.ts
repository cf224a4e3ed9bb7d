import { nameIsPathSegment } from '../../../apimachinery/names/names.ts';
import type { RoleBinding } from '../../../generated/types/rbac-v1.ts';
import { defineResource } from '../../resource-definition.ts';
import { bindingFromAlpha, bindingToAlpha } from '../binding-conversion.ts';
import { setAlphaBindingDefaults, setBindingDefaults } from '../binding-defaults.ts';
import { bindingTable } from '../binding-table.ts';
import { validateBinding, validateBindingUpdate } from '../binding-validation.ts';
import { RBAC_GROUP, rbacVersions } from '../rbac-group.ts';

const ROLE_KINDS = ['Role', 'ClusterRole'];

/** Grants a role to subjects within one namespace. */
export const roleBinding = defineResource<RoleBinding>({
  group: RBAC_GROUP,
  resource: 'rolebindings',
  kind: 'RoleBinding',
  singular: 'rolebinding',
  namespaced: true,
  hub: `${RBAC_GROUP}/v1`,
  storageVersion: `${RBAC_GROUP}/v1`,
  storagePath: 'rolebindings',
  versions: rbacVersions(
    'RoleBinding',
    { setDefaults: setBindingDefaults },
    { setDefaults: setAlphaBindingDefaults, toHub: bindingFromAlpha, fromHub: bindingToAlpha },
  ),
  validateName: nameIsPathSegment,
  allowCreateOnUpdate: true,
  validate: (object, errors) => validateBinding(object, ROLE_KINDS, true, errors),
  validateUpdate: (object, old, errors) => validateBindingUpdate(object, old, ROLE_KINDS, true, errors),
  metadataChecksOnUpdate: ['object', 'object', 'update'],
  table: bindingTable,
});
