import type { FieldErrors } from '../../../apimachinery/field-errors.ts';
import type { FieldPath } from '../../../apimachinery/field-path.ts';
import { validateImmutableField } from '../../../apimachinery/object-meta-validation.ts';
import type { PodTemplateSpec } from '../../../generated/types/core-v1.ts';

/** Checks that a template stayed as it was, for kinds whose template cannot change. */
export function validatePodTemplateSpecUpdate(template: PodTemplateSpec, old: PodTemplateSpec, path: FieldPath, errors: FieldErrors): void {
  validateImmutableField(template, old, path, errors);
}
