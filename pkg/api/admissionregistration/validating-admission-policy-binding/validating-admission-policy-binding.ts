import type { FieldErrors } from '../../../apimachinery/errors/field-errors.ts';
import { field, type FieldPath } from '../../../apimachinery/errors/field-path.ts';
import { goStringSlice } from '../../../apimachinery/values/go-format.ts';
import { nameIsDns1123Subdomain } from '../../../apimachinery/names/names.ts';
import {
  type ValidatingAdmissionPolicyBinding,
  ValidationActionValues,
} from '../../../generated/types/admissionregistration-v1.ts';
import { defineResource } from '../../resource-definition.ts';
import {
  ADMISSION_GROUP,
  ADMISSION_V1,
  ADMISSION_V1ALPHA1,
  ADMISSION_V1BETA1,
} from '../admissionregistration-group.ts';
import { validatePolicyBindingSpec } from '../policy-binding-validation.ts';
import { setAlphaPolicyBindingDefaults, setPolicyBindingDefaults } from '../policy-defaults.ts';
import { policyBindingTable } from '../policy-table.ts';
import { policyBindingWarnings } from '../policy-warnings.ts';

const DENY_AND_WARN =
  'must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves ' +
  'no purpose)';

function validate({ spec }: ValidatingAdmissionPolicyBinding, errors: FieldErrors): void {
  const path = field('spec');
  validatePolicyBindingSpec(spec, path, errors);
  validateActions(spec.validationActions ?? [], path.child('validationActions'), errors);
}

function validateActions(actions: readonly string[], path: FieldPath, errors: FieldErrors): void {
  const seen = new Set<string>();
  for (const [i, action] of actions.entries()) {
    if (!ValidationActionValues.includes(action)) errors.notSupported(path.index(i), action, ValidationActionValues);
    if (seen.has(action)) errors.duplicate(path.index(i), action);
    seen.add(action);
  }
  if (seen.has('Deny') && seen.has('Warn')) errors.invalid(path, goStringSlice(actions), DENY_AND_WARN);
  if (actions.length === 0) errors.required(path, 'at least one validation action is required');
}

/** Puts a validating policy into effect, with parameters. */
export const validatingAdmissionPolicyBinding = defineResource<ValidatingAdmissionPolicyBinding>({
  group: ADMISSION_GROUP,
  resource: 'validatingadmissionpolicybindings',
  kind: 'ValidatingAdmissionPolicyBinding',
  singular: 'validatingadmissionpolicybinding',
  categories: ['api-extensions'],
  namespaced: false,
  hub: ADMISSION_V1,
  storageVersion: ADMISSION_V1,
  storagePath: 'validatingadmissionpolicybindings',
  versions: [
    {
      groupVersion: ADMISSION_V1,
      message: 'admissionregistration/v1.ValidatingAdmissionPolicyBinding',
      setDefaults: setPolicyBindingDefaults,
    },
    {
      groupVersion: ADMISSION_V1BETA1,
      message: 'admissionregistration/v1beta1.ValidatingAdmissionPolicyBinding',
      setDefaults: setPolicyBindingDefaults,
    },
    {
      groupVersion: ADMISSION_V1ALPHA1,
      message: 'admissionregistration/v1alpha1.ValidatingAdmissionPolicyBinding',
      served: false,
      setDefaults: setAlphaPolicyBindingDefaults,
    },
  ],
  validateName: nameIsDns1123Subdomain,
  allowUnconditionalUpdate: false,
  generationOf: (object) => object.spec,
  validate,
  validateUpdate: (object, _old, errors) => validate(object, errors),
  metadataChecksOnUpdate: ['object'],
  warnings: policyBindingWarnings,
  table: policyBindingTable,
});
