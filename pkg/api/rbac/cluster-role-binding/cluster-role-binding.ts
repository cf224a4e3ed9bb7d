import { nameIsPathSegment } from '../../../apimachinery/names/names.ts';
import type { ClusterRoleBinding } from '../../../generated/types/rbac-v1.ts';
import { defineResource } from '../../resource-definition.ts';
import { bindingFromAlpha, bindingToAlpha } from '../binding-conversion.ts';
import { setAlphaBindingDefaults, setBindingDefaults } from '../binding-defaults.ts';
import { bindingTable } from '../binding-table.ts';
import { validateBinding, validateBindingUpdate } from '../binding-validation.ts';
import { RBAC_GROUP, rbacVersions } from '../rbac-group.ts';

const ROLE_KINDS = ['ClusterRole'];

/** Grants a cluster role to subjects in the whole cluster. */
export const clusterRoleBinding = defineResource<ClusterRoleBinding>({
  group: RBAC_GROUP,
  resource: 'clusterrolebindings',
  kind: 'ClusterRoleBinding',
  singular: 'clusterrolebinding',
  namespaced: false,
  hub: `${RBAC_GROUP}/v1`,
  storageVersion: `${RBAC_GROUP}/v1`,
  storagePath: 'clusterrolebindings',
  versions: rbacVersions(
    'ClusterRoleBinding',
    { setDefaults: setBindingDefaults },
    { setDefaults: setAlphaBindingDefaults, toHub: bindingFromAlpha, fromHub: bindingToAlpha },
  ),
  validateName: nameIsPathSegment,
  allowCreateOnUpdate: true,
  validate: (object, errors) => validateBinding(object, ROLE_KINDS, false, errors),
  validateUpdate: (object, old, errors) => validateBindingUpdate(object, old, ROLE_KINDS, false, errors),
  metadataChecksOnUpdate: ['object', 'object', 'update'],
  table: bindingTable,
});
