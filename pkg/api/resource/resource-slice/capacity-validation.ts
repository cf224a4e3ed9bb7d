import type { FieldErrors } from '../../../apimachinery/errors/field-errors.ts';
import type { FieldPath } from '../../../apimachinery/errors/field-path.ts';
import { parseQuantity, type Quantity } from '../../../apimachinery/values/quantity.ts';
import type {
  CapacityRequestPolicy,
  CapacityRequestPolicyRange,
  DeviceCapacity,
} from '../../../generated/types/resource-v1.ts';
import { validateSet } from '../bounded-items.ts';

const VALUES_MAX = 10;

/** An amount that a device has. Only a device that several claims may share limits how much of it each may request. */
export function validateCapacity(
  { value, requestPolicy }: DeviceCapacity,
  isShared: boolean,
  path: FieldPath,
  errors: FieldErrors,
): void {
  if (requestPolicy === undefined) return;
  const at = path.child('requestPolicy');
  if (isShared) validateRequestPolicy(requestPolicy, parseQuantity(value), at, errors);
  else errors.forbidden(at, 'allowMultipleAllocations must be true');
}

function validateRequestPolicy(
  { default: byDefault, validValues, validRange }: CapacityRequestPolicy,
  capacity: Quantity,
  path: FieldPath,
  errors: FieldErrors,
): void {
  const hasValues = (validValues?.length ?? 0) > 0;
  if (hasValues && validRange !== undefined) {
    return errors.forbidden(
      path,
      'exactly one policy can be specified, cannot specify "validValues" and "validRange" at the same time',
    );
  }
  if (!hasValues && validRange === undefined) return;
  const name = hasValues ? 'validValues' : 'validRange';
  if (byDefault == null) return errors.required(path.child('default'), `required when ${name} is defined`);
  if (hasValues) validateValues(validValues!, parseQuantity(byDefault), capacity, path.child(name), errors);
  else validateRange(validRange!, parseQuantity(byDefault), capacity, path.child(name), errors);
}

function validateValues(
  texts: readonly string[],
  byDefault: Quantity,
  capacity: Quantity,
  path: FieldPath,
  errors: FieldErrors,
): void {
  // More are refused below, unread.
  const values = texts.slice(0, VALUES_MAX).map(parseQuantity);
  for (const [i, value] of values.entries()) {
    if (i > 0 && values[i - 1]!.compare(value) > 0)
      errors.invalid(path.index(i), value.toString(), 'values must be sorted in ascending order');
  }
  validateSet(
    texts,
    VALUES_MAX,
    (text, at) => {
      if (parseQuantity(text).compare(capacity) > 0)
        errors.invalid(at, text, `option is larger than capacity value: ${capacity.toString()}`);
    },
    (text) => String(parseQuantity(text).value()),
    path,
    errors,
  );
  if (!values.some((value) => value.equals(byDefault)))
    errors.invalid(path, byDefault.toString(), 'default value is not valid according to the requestPolicy');
}

function validateRange(
  range: CapacityRequestPolicyRange,
  byDefault: Quantity,
  capacity: Quantity,
  path: FieldPath,
  errors: FieldErrors,
): void {
  if (range.min === undefined) return errors.required(path.child('min'), 'required when validRange is defined');
  const min = parseQuantity(range.min);
  if (min.compare(capacity) > 0)
    errors.invalid(path.child('min'), range.min, `min is larger than capacity value: ${capacity.toString()}`);
  if (byDefault.compare(min) < 0)
    errors.invalid(path.child('default'), byDefault.toString(), `default is less than min: ${range.min}`);
  const max = range.max === undefined ? undefined : parseQuantity(range.max);
  if (max !== undefined) {
    if (min.compare(max) > 0) errors.invalid(path.child('max'), range.min, `min is larger than max: ${range.max!}`);
    if (max.compare(capacity) > 0)
      errors.invalid(path.child('max'), range.max, `max is larger than capacity value: ${capacity.toString()}`);
    if (byDefault.compare(max) > 0)
      errors.invalid(path.child('default'), byDefault.toString(), `default is more than max: ${range.max!}`);
  }
  if (range.step !== undefined)
    validateStep(parseQuantity(range.step), { min, max, byDefault, capacity }, path.child('step'), errors);
}

interface RangeBounds {
  readonly min: Quantity;
  readonly max: Quantity | undefined;
  readonly byDefault: Quantity;
  readonly capacity: Quantity;
}

/** Amounts are counted in whole units. */
function validateStep(
  step: Quantity,
  { min, max, byDefault, capacity }: RangeBounds,
  path: FieldPath,
  errors: FieldErrors,
): void {
  if (step.sign() <= 0) return errors.invalid(path, step.toString(), 'must be greater than zero');
  const first = min.add(step);
  if (first.compare(capacity) > 0)
    errors.invalid(
      path,
      step.toString(),
      `one step ${first.toString()} is larger than capacity value: ${capacity.toString()}`,
    );
  for (const value of max === undefined ? [byDefault] : [byDefault, max]) {
    if ((value.value() - min.value()) % step.value() === 0n) continue;
    errors.invalid(
      path,
      value.toString(),
      `value is not a multiple of a given step (${step.toString()}) from (${min.toString()})`,
    );
  }
}
