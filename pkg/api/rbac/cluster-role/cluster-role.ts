import type { FieldErrors } from '../../../apimachinery/errors/field-errors.ts';
import { field } from '../../../apimachinery/errors/field-path.ts';
import { labelSelectorAsSelector, validateLabelSelector } from '../../../apimachinery/selectors/label-selector.ts';
import { nameIsPathSegment } from '../../../apimachinery/names/names.ts';
import type { LabelSelector } from '../../../generated/types/meta-v1.ts';
import type { ClusterRole } from '../../../generated/types/rbac-v1.ts';
import { defineResource } from '../../resource-definition.ts';
import { validatePolicyRules } from '../policy-rule-validation.ts';
import { RBAC_GROUP, rbacVersions } from '../rbac-group.ts';

function validateClusterRole(object: ClusterRole, errors: FieldErrors): void {
  validatePolicyRules(object.rules, false, errors);
  if (object.aggregationRule === undefined) return;
  const path = field('aggregationRule', 'clusterRoleSelectors');
  const selectors = object.aggregationRule.clusterRoleSelectors ?? [];
  if (selectors.length === 0)
    errors.required(path, 'at least one clusterRoleSelector required if aggregationRule is non-nil');
  for (const [i, selector] of selectors.entries()) {
    validateLabelSelector(selector, path.index(i), errors);
    if (!canBeUsed(selector)) errors.invalid(path.index(i), null, 'invalid label selector.');
  }
}

function canBeUsed(selector: LabelSelector): boolean {
  try {
    labelSelectorAsSelector(selector);
    return true;
  } catch {
    // The caller reports it as an invalid field.
    return false;
  }
}

/** Permissions in the whole cluster, or in any one namespace where it is bound. */
export const clusterRole = defineResource<ClusterRole>({
  group: RBAC_GROUP,
  resource: 'clusterroles',
  kind: 'ClusterRole',
  singular: 'clusterrole',
  namespaced: false,
  hub: `${RBAC_GROUP}/v1`,
  storageVersion: `${RBAC_GROUP}/v1`,
  storagePath: 'clusterroles',
  versions: rbacVersions('ClusterRole'),
  validateName: nameIsPathSegment,
  allowCreateOnUpdate: true,
  validate: validateClusterRole,
  // Stock servers check an update twice, and report errors twice.
  validateUpdate: (object, _old, errors) => {
    validateClusterRole(object, errors);
    validateClusterRole(object, errors);
  },
  metadataChecksOnUpdate: ['object', 'object', 'update'],
});
