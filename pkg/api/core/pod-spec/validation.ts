import type { FieldErrors } from '../../../apimachinery/field-errors.ts';
import type { FieldPath } from '../../../apimachinery/field-path.ts';
import type { ObjectMeta } from '../../../apimachinery/object.ts';
import type { PodSpec, PodTemplateSpec } from '../../../generated/types/core-v1.ts';

/** Checks a pod template: its labels, annotations and spec. */
export function validatePodTemplateSpec(_template: PodTemplateSpec, _path: FieldPath, _errors: FieldErrors): void {}

/** Checks a pod's spec; `meta` is the pod's metadata, undefined inside templates. */
export function validatePodSpec(_spec: PodSpec, _meta: ObjectMeta | undefined, _path: FieldPath, _errors: FieldErrors): void {}
