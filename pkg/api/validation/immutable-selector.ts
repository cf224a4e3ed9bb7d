import { semanticDeepEqual } from '../../apimachinery/json/deep.ts';
import type { FieldErrors } from '../../apimachinery/errors/field-errors.ts';
import type { FieldPath } from '../../apimachinery/errors/field-path.ts';
import { goLabelSelector } from '../../apimachinery/values/go-format.ts';
import { FIELD_IMMUTABLE } from '../../apimachinery/meta/object-meta-validation.ts';
import type { LabelSelector } from '../../generated/types/meta-v1.ts';

/**
 * Refuses a change of a label selector. An absent selector matches nothing and an empty one everything: the two differ.
 */
export function validateImmutableSelector(
  selector: LabelSelector | null | undefined,
  old: LabelSelector | null | undefined,
  path: FieldPath,
  errors: FieldErrors,
): void {
  if ((selector == null) === (old == null) && semanticDeepEqual(selector, old)) return;
  errors.invalid(path, selector == null ? null : goLabelSelector(selector), FIELD_IMMUTABLE);
}
