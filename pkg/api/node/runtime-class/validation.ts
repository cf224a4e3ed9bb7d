import type { FieldErrors } from '../../../apimachinery/field-errors.ts';
import { field, type FieldPath } from '../../../apimachinery/field-path.ts';
import { validateImmutableField, validateLabels } from '../../../apimachinery/object-meta-validation.ts';
import type { Toleration } from '../../../generated/types/core-v1.ts';
import type { RuntimeClass } from '../../../generated/types/node-v1.ts';
import { validateResourceRequirements } from '../../core/pod-spec/container-resources.ts';
import { validateTolerations } from '../../core/pod-spec/tolerations.ts';
import { validateDns1123Label } from '../../validation/names.ts';

export function validateRuntimeClass({ handler, overhead, scheduling }: RuntimeClass, errors: FieldErrors): void {
  validateDns1123Label(handler, field('handler'), errors);
  if (overhead !== undefined) validateResourceRequirements({ limits: overhead.podFixed }, new Set(), field('overhead'), errors);
  if (scheduling === undefined) return;
  const path = field('scheduling');
  validateLabels(scheduling.nodeSelector, path.child('nodeSelector'), errors);
  const tolerations = scheduling.tolerations ?? [];
  validateTolerations(tolerations, path.child('tolerations'), errors);
  refuseDuplicates(tolerations, path.child('tolerations'), errors);
}

export function validateRuntimeClassUpdate(object: RuntimeClass, old: RuntimeClass, errors: FieldErrors): void {
  validateRuntimeClass(object, errors);
  validateImmutableField(object.handler, old.handler, field('handler'), errors);
}

function refuseDuplicates(tolerations: readonly Toleration[], path: FieldPath, errors: FieldErrors): void {
  const seen = new Set<string>();
  for (const [i, { key, operator, value, effect, tolerationSeconds }] of tolerations.entries()) {
    const text = JSON.stringify([key, operator, value, effect, tolerationSeconds?.toString()]);
    if (seen.has(text)) errors.duplicate(path.index(i), key ?? '');
    seen.add(text);
  }
}
