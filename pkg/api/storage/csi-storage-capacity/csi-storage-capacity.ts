import { semanticDeepEqual } from '../../../apimachinery/json/deep.ts';
import type { FieldErrors } from '../../../apimachinery/errors/field-errors.ts';
import { field } from '../../../apimachinery/errors/field-path.ts';
import { goLabelSelector } from '../../../apimachinery/values/go-format.ts';
import { validateLabelSelector } from '../../../apimachinery/selectors/label-selector.ts';
import { nameIsDns1123Subdomain } from '../../../apimachinery/names/names.ts';
import { FIELD_IMMUTABLE, validateImmutableField } from '../../../apimachinery/meta/object-meta-validation.ts';
import type { CSIStorageCapacity } from '../../../generated/types/storage-v1.ts';
import { defineResource } from '../../resource-definition.ts';
import { NAME_COLUMN } from '../../table-columns.ts';
import { validateNonNegativeQuantity } from '../../validation/resource-names.ts';
import { STORAGE_GROUP, STORAGE_V1, storageVersions } from '../storage-group.ts';

function validate(object: CSIStorageCapacity, errors: FieldErrors): void {
  validateLabelSelector(object.nodeTopology, field('nodeTopology'), errors);
  for (const problem of nameIsDns1123Subdomain(object.storageClassName, false)) {
    errors.invalid(field('storageClassName'), object.storageClassName, problem);
  }
  if (object.capacity !== undefined) validateNonNegativeQuantity(object.capacity, field('capacity'), errors);
}

function validateUpdate(object: CSIStorageCapacity, old: CSIStorageCapacity, errors: FieldErrors): void {
  validate(object, errors);
  if (!semanticDeepEqual(object.nodeTopology, old.nodeTopology)) {
    const printed = object.nodeTopology === undefined ? null : goLabelSelector(object.nodeTopology);
    errors.invalid(field('nodeTopology'), printed, FIELD_IMMUTABLE);
  }
  validateImmutableField(object.storageClassName, old.storageClassName, field('storageClassName'), errors);
}

/** How much storage of a class is left in a part of the cluster. */
export const csiStorageCapacity = defineResource<CSIStorageCapacity>({
  group: STORAGE_GROUP,
  resource: 'csistoragecapacities',
  kind: 'CSIStorageCapacity',
  singular: 'csistoragecapacity',
  namespaced: true,
  hub: STORAGE_V1,
  storageVersion: STORAGE_V1,
  storagePath: 'csistoragecapacities',
  returnDeletedObject: true,
  versions: storageVersions('CSIStorageCapacity', { beta: ['1.24', '1.27'], alpha: true }),
  validateName: nameIsDns1123Subdomain,
  allowUnconditionalUpdate: false,
  validate,
  validateUpdate,
  table: {
    columns: [
      NAME_COLUMN,
      { name: 'StorageClassName', type: 'string', description: 'Class whose volumes the capacity is for.' },
      { name: 'Capacity', type: 'string', description: 'Bytes that are left.' },
    ],
    row: ({ metadata, storageClassName, capacity }) => ({
      cells: [metadata.name ?? '', storageClassName, capacity ?? '<unset>'],
    }),
  },
});
