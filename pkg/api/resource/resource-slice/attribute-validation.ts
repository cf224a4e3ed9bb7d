import type { FieldErrors } from '../../../apimachinery/errors/field-errors.ts';
import type { FieldPath } from '../../../apimachinery/errors/field-path.ts';
import type { DeviceAttribute } from '../../../generated/types/resource-v1.ts';

const VALUE_BYTES_MAX = 64;
const NUMBER = '(0|[1-9]\\d*)';
const PRE_RELEASE = '(0|[1-9]\\d*|\\d*[a-zA-Z-][0-9a-zA-Z-]*)';
const BUILD = '[0-9a-zA-Z-]+';
const VERSION = new RegExp(
  `^${NUMBER}\\.${NUMBER}\\.${NUMBER}(-${PRE_RELEASE}(\\.${PRE_RELEASE})*)?(\\+${BUILD}(\\.${BUILD})*)?$`,
);

/** A property of a device: one value, or one list of values. */
export function validateAttribute(attribute: DeviceAttribute, path: FieldPath, errors: FieldErrors): void {
  const { string: text, version, strings, versions } = attribute;
  if (text !== undefined) validateText(text, path.child('string'), errors);
  if (version !== undefined) validateVersion(version, path.child('version'), errors);
  for (const [i, item] of (strings ?? []).entries()) validateText(item, path.child('strings').index(i), errors);
  for (const [i, item] of (versions ?? []).entries()) validateVersion(item, path.child('versions').index(i), errors);
  const values = Object.values(attribute).filter((value) => value !== undefined).length;
  if (values === 0) errors.invalid(path, '', 'exactly one value must be specified');
  else if (values > 1) errors.invalid(path, attribute, 'exactly one value must be specified');
}

/** Items of lists count one by one. */
export function attributeValueCount(attributes: Readonly<Record<string, DeviceAttribute>>): number {
  let count = 0;
  for (const { bools, ints, strings, versions } of Object.values(attributes)) {
    const items = [bools, ints, strings, versions].reduce((sum, list) => sum + (list?.length ?? 0), 0);
    count += Math.max(items, 1);
  }
  return count;
}

function validateText(value: string, path: FieldPath, errors: FieldErrors): void {
  if (Buffer.byteLength(value) > VALUE_BYTES_MAX) errors.tooLong(path, value, VALUE_BYTES_MAX);
}

function validateVersion(value: string, path: FieldPath, errors: FieldErrors): void {
  // Only short texts are matched: the pattern backtracks.
  const isLong = Buffer.byteLength(value) > VALUE_BYTES_MAX;
  if (isLong || !VERSION.test(value))
    errors.invalid(path, value, 'must be a string compatible with semver.org spec 2.0.0');
  if (isLong) errors.tooLong(path, value, VALUE_BYTES_MAX);
}
