import type { FieldErrors } from '../../apimachinery/errors/field-errors.ts';
import type { FieldPath } from '../../apimachinery/errors/field-path.ts';
import { stringifyJson } from '../../apimachinery/json/json.ts';
import type { DeviceConfiguration } from '../../generated/types/resource-v1.ts';
import { validateDriverName } from './device-names.ts';

/** Settings that a class and a claim hold, each. */
export const CONFIGURATIONS_MAX = 32;
const OPAQUE_BYTES_MAX = 10 * 1024;

/** Settings for a driver. Those that `areStored` may be longer than new ones. */
export function validateDeviceConfiguration(
  { opaque }: DeviceConfiguration,
  areStored: boolean,
  path: FieldPath,
  errors: FieldErrors,
): void {
  const at = path.child('opaque');
  if (opaque === undefined) return errors.required(at);
  validateDriverName(opaque.driver, at.child('driver'), errors);
  validateOpaqueObject(opaque.parameters, areStored, at.child('parameters'), errors);
}

/** An object in a third party's format. */
export function validateOpaqueObject(value: unknown, isStored: boolean, path: FieldPath, errors: FieldErrors): void {
  if (value == null) errors.required(path);
  else if (!isStored && Buffer.byteLength(stringifyJson(value)) > OPAQUE_BYTES_MAX)
    errors.tooLong(path, '', OPAQUE_BYTES_MAX);
  else if (typeof value !== 'object' || Array.isArray(value))
    errors.invalid(path, '<value omitted>', 'must be a valid JSON object');
}
