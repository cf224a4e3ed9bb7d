import type { FieldErrors } from '../../../apimachinery/errors/field-errors.ts';
import type { FieldPath } from '../../../apimachinery/errors/field-path.ts';
import type { EphemeralVolumeSource } from '../../../generated/types/core-v1.ts';
import { validatePersistentVolumeClaimSpec } from '../../validation/claim-spec.ts';
import { validateTemplateMetadata } from '../../validation/template-metadata.ts';

/** A volume whose claim is made with the pod. */
export function validateEphemeralSource(source: EphemeralVolumeSource, path: FieldPath, errors: FieldErrors): void {
  const template = source.volumeClaimTemplate;
  const at = path.child('volumeClaimTemplate');
  if (template === undefined) return errors.required(at);
  validateTemplateMetadata(template.metadata, at.child('metadata'), errors);
  validatePersistentVolumeClaimSpec(template.spec, at.child('spec'), errors);
}
