import type { FieldErrors } from '../../../apimachinery/errors/field-errors.ts';
import type { FieldPath } from '../../../apimachinery/errors/field-path.ts';
import type { Counter } from '../../../generated/types/resource-v1.ts';
import { validateDns1123Label } from '../../validation/names.ts';
import { validateEntries } from '../bounded-items.ts';

const COUNTERS_MAX = 32;
const LABEL_BYTES_MAX = 63;

/** A named set of counters, or what a device takes from one. `nameField` is the field that has the name. */
export function validateCounters(
  name: string,
  counters: Readonly<Record<string, Counter>> | undefined,
  path: FieldPath,
  nameField: 'name' | 'counterSet',
  errors: FieldErrors,
): void {
  if (name === '') errors.required(path.child(nameField));
  else validateDns1123Label(name, path.child(nameField), errors);
  if (counters === undefined) return errors.required(path.child('counters'));
  // Any amount is fine.
  validateEntries(
    counters,
    { max: COUNTERS_MAX, shownKeyMax: LABEL_BYTES_MAX, checkKey: validateDns1123Label, check: () => undefined },
    path.child('counters'),
    errors,
  );
}
