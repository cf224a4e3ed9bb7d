import type { FieldErrors } from '../../../apimachinery/errors/field-errors.ts';
import { field } from '../../../apimachinery/errors/field-path.ts';
import { nameIsDns1123Subdomain } from '../../../apimachinery/names/names.ts';
import { validateImmutableField } from '../../../apimachinery/meta/object-meta-validation.ts';
import type { ResourceClaimTemplate } from '../../../generated/types/resource-v1.ts';
import { defineResource } from '../../resource-definition.ts';
import { age } from '../../table-cells.ts';
import { AGE_COLUMN, NAME_COLUMN } from '../../table-columns.ts';
import { validateTemplateMetadata } from '../../validation/template-metadata.ts';
import { setDeviceClaimDefaults } from '../resource-claim/defaults.ts';
import { validateDeviceClaim } from '../resource-claim/spec-validation.ts';
import { RESOURCE_GROUP, RESOURCE_V1 } from '../resource-group.ts';

function validateTemplate({ spec }: ResourceClaimTemplate, errors: FieldErrors): void {
  validateTemplateMetadata(spec.metadata, field('spec', 'metadata'), errors);
  validateDeviceClaim(spec.spec.devices, field('spec', 'spec', 'devices'), errors);
}

/** The pattern of the claims that are made for pods. */
export const resourceClaimTemplate = defineResource<ResourceClaimTemplate>({
  group: RESOURCE_GROUP,
  resource: 'resourceclaimtemplates',
  kind: 'ResourceClaimTemplate',
  singular: 'resourceclaimtemplate',
  namespaced: true,
  hub: RESOURCE_V1,
  storageVersion: RESOURCE_V1,
  storagePath: 'resourceclaimtemplates',
  returnDeletedObject: true,
  versions: [
    {
      groupVersion: RESOURCE_V1,
      message: 'resource/v1.ResourceClaimTemplate',
      setDefaults: ({ spec }: ResourceClaimTemplate) => setDeviceClaimDefaults(spec.spec.devices),
    },
  ],
  validateName: nameIsDns1123Subdomain,
  validate: validateTemplate,
  validateUpdate: (object, old, errors) => validateImmutableField(object.spec, old.spec, field('spec'), errors),
  metadataChecksOnUpdate: ['update'],
  table: {
    columns: [NAME_COLUMN, AGE_COLUMN],
    row: ({ metadata }, nowMs) => ({ cells: [metadata.name ?? '', age(metadata.creationTimestamp, nowMs)] }),
  },
});
