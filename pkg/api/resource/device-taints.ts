import type { FieldErrors } from '../../apimachinery/errors/field-errors.ts';
import type { FieldPath } from '../../apimachinery/errors/field-path.ts';
import { isValidLabelValue } from '../../apimachinery/names/names.ts';
import { validateLabelName } from '../../apimachinery/meta/object-meta-validation.ts';
import { type DeviceTaint, DeviceTaintEffectValues, type DeviceToleration } from '../../generated/types/resource-v1.ts';
import { reportProblems } from '../validation/names.ts';
import { validateItems } from './bounded-items.ts';

const TAINTS_MAX = 16;
const TOLERATIONS_MAX = 16;
const EFFECTS = [...DeviceTaintEffectValues].sort();

export function validateDeviceTaints(
  taints: readonly DeviceTaint[] | undefined,
  path: FieldPath,
  errors: FieldErrors,
): void {
  validateItems(taints, TAINTS_MAX, validateDeviceTaint, path, errors);
}

function validateDeviceTaint({ key, value, effect }: DeviceTaint, path: FieldPath, errors: FieldErrors): void {
  validateLabelName(key, path.child('key'), errors);
  if (value !== undefined) reportProblems(isValidLabelValue(value), value, path.child('value'), errors);
  if (effect === '') errors.required(path.child('effect'));
  else if (!EFFECTS.includes(effect)) errors.notSupported(path.child('effect'), effect, EFFECTS);
}

export function validateDeviceTolerations(
  tolerations: readonly DeviceToleration[] | undefined,
  path: FieldPath,
  errors: FieldErrors,
): void {
  validateItems(tolerations, TOLERATIONS_MAX, validateDeviceToleration, path, errors);
}

function validateDeviceToleration(
  { key, operator = '', value = '', effect }: DeviceToleration,
  path: FieldPath,
  errors: FieldErrors,
): void {
  if (key !== undefined) validateLabelName(key, path.child('key'), errors);
  switch (operator) {
    case 'Exists':
      if (value !== '') errors.invalid(path.child('value'), value, 'must be empty for operator `Exists`');
      break;
    case 'Equal':
      reportProblems(isValidLabelValue(value), value, path.child('value'), errors);
      break;
    case '':
      errors.required(path.child('operator'));
      break;
    default:
      errors.notSupported(path.child('operator'), operator, ['Equal', 'Exists']);
  }
  if (effect !== undefined && !EFFECTS.includes(effect)) errors.notSupported(path.child('effect'), effect, EFFECTS);
}
