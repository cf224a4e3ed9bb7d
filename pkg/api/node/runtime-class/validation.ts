import type { FieldErrors } from '../../../apimachinery/errors/field-errors.ts';
import { field, type FieldPath } from '../../../apimachinery/errors/field-path.ts';
import { validateImmutableField, validateLabels } from '../../../apimachinery/meta/object-meta-validation.ts';
import type { Toleration } from '../../../generated/types/core-v1.ts';
import type { RuntimeClass } from '../../../generated/types/node-v1.ts';
import { validateResourceRequirements } from '../../core/pod-spec/container-resources.ts';
import { goToleration, tolerationIdentity, validateTolerations } from '../../core/pod-spec/tolerations.ts';
import { validateDns1123Label } from '../../validation/names.ts';

export function validateRuntimeClass({ handler, overhead, scheduling }: RuntimeClass, errors: FieldErrors): void {
  validateDns1123Label(handler, field('handler'), errors);
  if (overhead !== undefined)
    validateResourceRequirements({ limits: overhead.podFixed }, new Set(), field('overhead'), errors);
  if (scheduling === undefined) return;
  const path = field('scheduling');
  validateLabels(scheduling.nodeSelector, path.child('nodeSelector'), errors);
  const tolerations = scheduling.tolerations ?? [];
  // The repeated word is Kubernetes' own, and clients see it.
  validateTolerations(tolerations, path.child('tolerations', 'tolerations'), errors);
  refuseDuplicates(tolerations, path.child('tolerations'), errors);
}

export function validateRuntimeClassUpdate(object: RuntimeClass, old: RuntimeClass, errors: FieldErrors): void {
  validateRuntimeClass(object, errors);
  validateImmutableField(object.handler, old.handler, field('handler'), errors);
}

/** The time is not part of a toleration's identity. */
function refuseDuplicates(tolerations: readonly Toleration[], path: FieldPath, errors: FieldErrors): void {
  const seen = new Set<string>();
  for (const [i, toleration] of tolerations.entries()) {
    const identity = tolerationIdentity(toleration);
    if (seen.has(identity)) errors.duplicate(path.index(i), goToleration(toleration));
    seen.add(identity);
  }
}
