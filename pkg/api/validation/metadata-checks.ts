import type { FieldErrors } from '../../apimachinery/field-errors.ts';
import { field } from '../../apimachinery/field-path.ts';
import type { NameCheck } from '../../apimachinery/names.ts';
import type { ApiObject } from '../../apimachinery/object.ts';
import { validateObjectMeta, validateObjectMetaUpdate } from '../../apimachinery/object-meta-validation.ts';

/**
 * Stock servers check metadata in the rules of each kind as well as for all kinds, and list what they find once per check. A kind repeats
 * the checks that its rules contain there, so that answers to bad updates have as many causes.
 */

export function repeatMetadataCheck(object: ApiObject, validateName: NameCheck, errors: FieldErrors, namespaced = true): void {
  validateObjectMeta(object.metadata, { namespaced, validateName }, field('metadata'), errors);
}

export function repeatMetadataUpdateCheck(object: ApiObject, old: ApiObject, errors: FieldErrors): void {
  validateObjectMetaUpdate(object.metadata, old.metadata, field('metadata'), errors);
}
