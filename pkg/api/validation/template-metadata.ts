import type { FieldErrors } from '../../apimachinery/errors/field-errors.ts';
import type { FieldPath } from '../../apimachinery/errors/field-path.ts';
import type { ObjectMeta } from '../../apimachinery/meta/object.ts';
import { validateAnnotations, validateLabels } from '../../apimachinery/meta/object-meta-validation.ts';

/**
 * Metadata of a claim that is made with a pod: labels and annotations are copied to the claim, the rest would be lost
 * silently.
 */
export function validateTemplateMetadata(meta: ObjectMeta, path: FieldPath, errors: FieldErrors): void {
  validateAnnotations(meta.annotations, path.child('annotations'), errors);
  validateLabels(meta.labels, path.child('labels'), errors);
  for (const [key, value] of Object.entries(meta)) {
    if (key !== 'labels' && key !== 'annotations' && value != null) errors.forbidden(path.child(key), 'cannot be set');
  }
}
