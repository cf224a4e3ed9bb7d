import type { FieldErrors } from '../../../apimachinery/errors/field-errors.ts';
import { field, type FieldPath } from '../../../apimachinery/errors/field-path.ts';
import { nameIsDns1123Subdomain } from '../../../apimachinery/names/names.ts';
import {
  type MutatingAdmissionPolicy,
  type Mutation,
  PatchTypeValues,
  ReinvocationPolicyTypeValues,
} from '../../../generated/types/admissionregistration-v1.ts';
import { defineResource } from '../../resource-definition.ts';
import { age } from '../../table-cells.ts';
import { AGE_COLUMN, NAME_COLUMN } from '../../table-columns.ts';
import {
  ADMISSION_GROUP,
  ADMISSION_V1,
  ADMISSION_V1ALPHA1,
  ADMISSION_V1BETA1,
} from '../admissionregistration-group.ts';
import { setPolicyDefaults } from '../policy-defaults.ts';
import { PARAM_KIND_COLUMN, paramKindText } from '../policy-table.ts';
import { validatePolicySpec } from '../policy-validation.ts';
import { policyWarnings } from '../policy-warnings.ts';

function validate({ spec }: MutatingAdmissionPolicy, errors: FieldErrors): void {
  const path = field('spec');
  validatePolicySpec(spec, path, errors);
  const mutations = spec.mutations ?? [];
  if (mutations.length === 0) errors.required(path.child('mutations'), 'mutations must contain at least one item');
  for (const [i, mutation] of mutations.entries()) validateMutation(mutation, path.child('mutations').index(i), errors);
  const policyPath = path.child('reinvocationPolicy');
  if (!spec.reinvocationPolicy) errors.required(policyPath);
  else if (!ReinvocationPolicyTypeValues.includes(spec.reinvocationPolicy)) {
    errors.notSupported(policyPath, spec.reinvocationPolicy, ReinvocationPolicyTypeValues);
  }
}

/** Exactly the member that the patch type names is set. */
function validateMutation(
  { patchType, applyConfiguration, jsonPatch }: Mutation,
  path: FieldPath,
  errors: FieldErrors,
): void {
  if (patchType === '') return errors.required(path.child('patchType'));
  if (!PatchTypeValues.includes(patchType))
    return errors.notSupported(path.child('patchType'), patchType, PatchTypeValues);
  const members = {
    ApplyConfiguration: ['applyConfiguration', applyConfiguration],
    JSONPatch: ['jsonPatch', jsonPatch],
  } as const;
  for (const [type, [name, member]] of Object.entries(members)) {
    if (type === patchType) {
      if (member === undefined) errors.required(path.child(name), `must be specified when patchType is ${type}`);
      else if (!member.expression?.trim())
        errors.required(path.child(name, 'expression'), 'expression is not specified');
    } else if (member !== undefined) {
      errors.forbidden(path.child(name), `must not be specified when patchType is not ${type}`);
    }
  }
}

/** Changes objects by CEL expressions. It takes effect through bindings. */
export const mutatingAdmissionPolicy = defineResource<MutatingAdmissionPolicy>({
  group: ADMISSION_GROUP,
  resource: 'mutatingadmissionpolicies',
  kind: 'MutatingAdmissionPolicy',
  singular: 'mutatingadmissionpolicy',
  categories: ['api-extensions'],
  namespaced: false,
  hub: ADMISSION_V1,
  storageVersion: ADMISSION_V1BETA1,
  storagePath: 'mutatingadmissionpolicies',
  versions: [
    {
      groupVersion: ADMISSION_V1,
      message: 'admissionregistration/v1.MutatingAdmissionPolicy',
      setDefaults: setPolicyDefaults,
    },
    {
      groupVersion: ADMISSION_V1BETA1,
      message: 'admissionregistration/v1beta1.MutatingAdmissionPolicy',
      setDefaults: setPolicyDefaults,
    },
    {
      groupVersion: ADMISSION_V1ALPHA1,
      message: 'admissionregistration/v1alpha1.MutatingAdmissionPolicy',
      served: false,
      setDefaults: setPolicyDefaults,
    },
  ],
  validateName: nameIsDns1123Subdomain,
  allowUnconditionalUpdate: false,
  generationOf: (object) => object.spec,
  validate,
  validateUpdate: (object, _old, errors) => validate(object, errors),
  metadataChecksOnUpdate: ['object'],
  warnings: policyWarnings,
  table: {
    columns: [
      NAME_COLUMN,
      { name: 'Mutations', type: 'integer', description: 'How many changes are made.' },
      PARAM_KIND_COLUMN,
      AGE_COLUMN,
    ],
    row: ({ metadata, spec }, nowMs) => ({
      cells: [
        metadata.name ?? '',
        spec.mutations?.length ?? 0,
        paramKindText(spec.paramKind),
        age(metadata.creationTimestamp, nowMs),
      ],
    }),
  },
});
