import { semanticDeepEqual } from '../../../apimachinery/json/deep.ts';
import type { FieldErrors } from '../../../apimachinery/errors/field-errors.ts';
import { field } from '../../../apimachinery/errors/field-path.ts';
import { goText } from '../../../apimachinery/values/go-format.ts';
import { nameIsDns1123Subdomain } from '../../../apimachinery/names/names.ts';
import { FIELD_IMMUTABLE, validateNonNegative } from '../../../apimachinery/meta/object-meta-validation.ts';
import type { ControllerRevision } from '../../../generated/types/apps-v1.ts';
import { defineResource } from '../../resource-definition.ts';
import { controllerRevisionTable } from './table.ts';

function validateControllerRevision(object: ControllerRevision, errors: FieldErrors): void {
  if (object.data == null) errors.required(field('data'), 'data is mandatory');
  validateNonNegative(object.revision, field('revision'), errors);
}

/** Revisions may be renumbered; what they hold stays. */
function validateControllerRevisionUpdate(
  object: ControllerRevision,
  old: ControllerRevision,
  errors: FieldErrors,
): void {
  validateControllerRevision(object, errors);
  // The data is a whole spec: the error does not repeat it.
  if (!semanticDeepEqual(object.data, old.data))
    errors.invalid(field('data'), goText('runtime.RawExtension{...}'), FIELD_IMMUTABLE);
}

export const controllerRevision = defineResource<ControllerRevision>({
  group: 'apps',
  resource: 'controllerrevisions',
  kind: 'ControllerRevision',
  singular: 'controllerrevision',
  namespaced: true,
  hub: 'apps/v1',
  versions: [
    { groupVersion: 'apps/v1', message: 'apps/v1.ControllerRevision' },
    {
      groupVersion: 'apps/v1beta2',
      message: 'apps/v1beta2.ControllerRevision',
      deprecation: { deprecatedIn: '1.9', removedIn: '1.16', replacement: 'apps/v1' },
    },
    {
      groupVersion: 'apps/v1beta1',
      message: 'apps/v1beta1.ControllerRevision',
      deprecation: { deprecatedIn: '1.8', removedIn: '1.16', replacement: 'apps/v1' },
    },
  ],
  storageVersion: 'apps/v1',
  storagePath: 'controllerrevisions',
  validateName: nameIsDns1123Subdomain,
  validate: validateControllerRevision,
  validateUpdate: validateControllerRevisionUpdate,
  table: controllerRevisionTable,
});
