import type { FieldErrors } from '../../../apimachinery/field-errors.ts';
import type { FieldPath } from '../../../apimachinery/field-path.ts';
import type { ObjectMeta } from '../../../apimachinery/object.ts';
import { validateAnnotations, validateLabels } from '../../../apimachinery/object-meta-validation.ts';
import type { EphemeralVolumeSource } from '../../../generated/types/core-v1.ts';
import { validatePersistentVolumeClaimSpec } from '../../validation/claim-spec.ts';

/** A volume whose claim is made with the pod. */
export function validateEphemeralSource(source: EphemeralVolumeSource, path: FieldPath, errors: FieldErrors): void {
  const template = source.volumeClaimTemplate;
  const at = path.child('volumeClaimTemplate');
  if (template === undefined) return errors.required(at);
  validateTemplateMeta(template.metadata, at.child('metadata'), errors);
  validatePersistentVolumeClaimSpec(template.spec, at.child('spec'), errors);
}

/** Only labels and annotations go over to the claim; the rest would be lost silently. */
function validateTemplateMeta(meta: ObjectMeta, path: FieldPath, errors: FieldErrors): void {
  validateAnnotations(meta.annotations, path.child('annotations'), errors);
  validateLabels(meta.labels, path.child('labels'), errors);
  for (const [key, value] of Object.entries(meta)) {
    if (key !== 'labels' && key !== 'annotations' && value != null) errors.forbidden(path.child(key), 'cannot be set');
  }
}
