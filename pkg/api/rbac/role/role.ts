import { nameIsPathSegment } from '../../../apimachinery/names/names.ts';
import type { Role } from '../../../generated/types/rbac-v1.ts';
import { defineResource } from '../../resource-definition.ts';
import { validatePolicyRules } from '../policy-rule-validation.ts';
import { RBAC_GROUP, rbacVersions } from '../rbac-group.ts';

/** Permissions within one namespace. */
export const role = defineResource<Role>({
  group: RBAC_GROUP,
  resource: 'roles',
  kind: 'Role',
  singular: 'role',
  namespaced: true,
  hub: `${RBAC_GROUP}/v1`,
  storageVersion: `${RBAC_GROUP}/v1`,
  storagePath: 'roles',
  versions: rbacVersions('Role'),
  validateName: nameIsPathSegment,
  allowCreateOnUpdate: true,
  validate: (object, errors) => validatePolicyRules(object.rules, true, errors),
  // Stock servers check an update twice, and report errors twice.
  validateUpdate: (object, _old, errors) => {
    validatePolicyRules(object.rules, true, errors);
    validatePolicyRules(object.rules, true, errors);
  },
  metadataChecksOnUpdate: ['object', 'object', 'update'],
});
