import type { FieldErrors } from '../../../apimachinery/errors/field-errors.ts';
import { field } from '../../../apimachinery/errors/field-path.ts';
import { nameIsDns1123Subdomain } from '../../../apimachinery/names/names.ts';
import type { MutatingAdmissionPolicyBinding } from '../../../generated/types/admissionregistration-v1.ts';
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

function validate({ spec }: MutatingAdmissionPolicyBinding, errors: FieldErrors): void {
  validatePolicyBindingSpec(spec, field('spec'), errors);
}

/** Puts a mutating policy into effect, with parameters. */
export const mutatingAdmissionPolicyBinding = defineResource<MutatingAdmissionPolicyBinding>({
  group: ADMISSION_GROUP,
  resource: 'mutatingadmissionpolicybindings',
  kind: 'MutatingAdmissionPolicyBinding',
  singular: 'mutatingadmissionpolicybinding',
  categories: ['api-extensions'],
  namespaced: false,
  hub: ADMISSION_V1,
  storageVersion: ADMISSION_V1BETA1,
  storagePath: 'mutatingadmissionpolicybindings',
  versions: [
    {
      groupVersion: ADMISSION_V1,
      message: 'admissionregistration/v1.MutatingAdmissionPolicyBinding',
      setDefaults: setPolicyBindingDefaults,
    },
    {
      groupVersion: ADMISSION_V1BETA1,
      message: 'admissionregistration/v1beta1.MutatingAdmissionPolicyBinding',
      setDefaults: setPolicyBindingDefaults,
    },
    {
      groupVersion: ADMISSION_V1ALPHA1,
      message: 'admissionregistration/v1alpha1.MutatingAdmissionPolicyBinding',
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
