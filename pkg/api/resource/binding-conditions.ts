import type { FieldErrors } from '../../apimachinery/errors/field-errors.ts';
import type { FieldPath } from '../../apimachinery/errors/field-path.ts';
import { goStringSlice } from '../../apimachinery/values/go-format.ts';
import { validateLabelName } from '../../apimachinery/meta/object-meta-validation.ts';
import type { Device } from '../../generated/types/resource-v1.ts';
import { validateItems } from './bounded-items.ts';

const CONDITIONS_MAX = 4;

/**
 * Conditions that a device must have, and must not have, before pods that use it are bound: both or none are named, and
 * none twice.
 */
export function validateBindingConditions(
  { bindingConditions, bindingFailureConditions }: Pick<Device, 'bindingConditions' | 'bindingFailureConditions'>,
  path: FieldPath,
  errors: FieldErrors,
): void {
  const wanted = bindingConditions ?? [];
  const unwanted = bindingFailureConditions ?? [];
  const wantedPath = path.child('bindingConditions');
  const unwantedPath = path.child('bindingFailureConditions');
  validateItems(wanted, CONDITIONS_MAX, validateLabelName, wantedPath, errors);
  validateItems(unwanted, CONDITIONS_MAX, validateLabelName, unwantedPath, errors);
  const wantedSet = new Set<string>();
  for (const [i, condition] of wanted.entries()) {
    if (wantedSet.has(condition)) errors.duplicate(wantedPath.index(i), condition);
    wantedSet.add(condition);
  }
  const unwantedSet = new Set<string>();
  for (const [i, condition] of unwanted.entries()) {
    if (unwantedSet.has(condition)) errors.duplicate(unwantedPath.index(i), condition);
    unwantedSet.add(condition);
    if (wantedSet.has(condition))
      errors.invalid(
        unwantedPath.index(i),
        condition,
        'bindingFailureConditions must not overlap with bindingConditions',
      );
  }
  if (wanted.length === 0 && unwanted.length > 0)
    errors.invalid(
      wantedPath,
      goStringSlice(bindingConditions),
      'bindingConditions are required to use bindingFailureConditions',
    );
  if (unwanted.length === 0 && wanted.length > 0)
    errors.invalid(
      unwantedPath,
      goStringSlice(bindingFailureConditions),
      'bindingFailureConditions are required to use bindingConditions',
    );
}
