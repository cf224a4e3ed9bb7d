import { nameIsDns1123Subdomain } from '../../../apimachinery/names/names.ts';
import type { ValidatingAdmissionPolicy } from '../../../generated/types/admissionregistration-v1.ts';
import { defineResource } from '../../resource-definition.ts';
import { keepMetadataForStatus } from '../../status-metadata.ts';
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
import { policyWarnings } from '../policy-warnings.ts';
import { validateValidatingAdmissionPolicy, validateValidatingAdmissionPolicyStatus } from './validation.ts';

/** Refuses requests by CEL expressions. It takes effect through bindings. */
export const validatingAdmissionPolicy = defineResource<ValidatingAdmissionPolicy>({
  group: ADMISSION_GROUP,
  resource: 'validatingadmissionpolicies',
  kind: 'ValidatingAdmissionPolicy',
  singular: 'validatingadmissionpolicy',
  categories: ['api-extensions'],
  namespaced: false,
  hub: ADMISSION_V1,
  storageVersion: ADMISSION_V1,
  storagePath: 'validatingadmissionpolicies',
  versions: [
    {
      groupVersion: ADMISSION_V1,
      message: 'admissionregistration/v1.ValidatingAdmissionPolicy',
      setDefaults: setPolicyDefaults,
    },
    {
      groupVersion: ADMISSION_V1BETA1,
      message: 'admissionregistration/v1beta1.ValidatingAdmissionPolicy',
      setDefaults: setPolicyDefaults,
    },
    {
      groupVersion: ADMISSION_V1ALPHA1,
      message: 'admissionregistration/v1alpha1.ValidatingAdmissionPolicy',
      served: false,
      setDefaults: setPolicyDefaults,
    },
  ],
  subresources: [
    {
      name: 'status',
      verbs: ['get', 'patch', 'update'],
      prepareForUpdate: keepMetadataForStatus,
      validateUpdate: (object, _old, errors) => validateValidatingAdmissionPolicyStatus(object, errors),
      metadataChecksOnUpdate: [],
    },
  ],
  validateName: nameIsDns1123Subdomain,
  allowUnconditionalUpdate: false,
  generationOf: (object) => object.spec,
  validate: validateValidatingAdmissionPolicy,
  validateUpdate: (object, _old, errors) => validateValidatingAdmissionPolicy(object, errors),
  metadataChecksOnUpdate: ['object'],
  warnings: policyWarnings,
  table: {
    columns: [
      NAME_COLUMN,
      { name: 'Validations', type: 'integer', description: 'How many expressions have to hold.' },
      PARAM_KIND_COLUMN,
      AGE_COLUMN,
    ],
    row: ({ metadata, spec }, nowMs) => ({
      cells: [
        metadata.name ?? '',
        spec.validations?.length ?? 0,
        paramKindText(spec.paramKind),
        age(metadata.creationTimestamp, nowMs),
      ],
    }),
  },
});
