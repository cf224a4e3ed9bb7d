import type { FieldErrors } from '../../../apimachinery/errors/field-errors.ts';
import { field } from '../../../apimachinery/errors/field-path.ts';
import { nameIsDns1123Subdomain } from '../../../apimachinery/names/names.ts';
import { validateImmutableField } from '../../../apimachinery/meta/object-meta-validation.ts';
import type { VolumeAttributesClass } from '../../../generated/types/storage-v1.ts';
import { defineResource } from '../../resource-definition.ts';
import { age } from '../../table-cells.ts';
import { AGE_COLUMN, NAME_COLUMN } from '../../table-columns.ts';
import { validateParameters, validateProvisioner } from '../parameters-validation.ts';
import { STORAGE_GROUP, STORAGE_V1, storageVersions } from '../storage-group.ts';

const DEFAULT_ANNOTATION = 'volumeattributesclass.alpha.kubernetes.io/is-default-class';

function validate(object: VolumeAttributesClass, errors: FieldErrors): void {
  validateProvisioner(object.driverName, field('driverName'), errors);
  validateParameters(object.parameters, field('parameters'), errors, { allowEmpty: false });
}

function validateUpdate(object: VolumeAttributesClass, old: VolumeAttributesClass, errors: FieldErrors): void {
  validateImmutableField(object.driverName, old.driverName, field('driverName'), errors);
  validateImmutableField(object.parameters, old.parameters, field('parameters'), errors);
}

/** Settings of volumes that may change while the volumes are in use. */
export const volumeAttributesClass = defineResource<VolumeAttributesClass>({
  group: STORAGE_GROUP,
  resource: 'volumeattributesclasses',
  kind: 'VolumeAttributesClass',
  singular: 'volumeattributesclass',
  shortNames: ['vac'],
  namespaced: false,
  hub: STORAGE_V1,
  storageVersion: STORAGE_V1,
  storagePath: 'volumeattributesclasses',
  returnDeletedObject: true,
  versions: storageVersions('VolumeAttributesClass', { alpha: true }),
  validateName: nameIsDns1123Subdomain,
  validate,
  validateUpdate,
  metadataChecksOnUpdate: ['update'],
  table: {
    columns: [
      NAME_COLUMN,
      { name: 'DriverName', type: 'string', description: 'CSI driver that understands the settings.' },
      AGE_COLUMN,
    ],
    row: ({ metadata, driverName }, nowMs) => ({
      cells: [
        `${metadata.name ?? ''}${metadata.annotations?.[DEFAULT_ANNOTATION] === 'true' ? ' (default)' : ''}`,
        driverName,
        age(metadata.creationTimestamp, nowMs),
      ],
    }),
  },
});
