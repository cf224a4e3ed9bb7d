import type { FieldErrors } from '../../../apimachinery/errors/field-errors.ts';
import type { FieldPath } from '../../../apimachinery/errors/field-path.ts';
import type {
  CustomResourceColumnDefinition,
  CustomResourceSubresources,
  SelectableField,
} from '../../../generated/types/apiextensions-v1.ts';

/** The parts of versions besides the schema: subresources, columns and fields to select by. */

const COLUMN_TYPES = ['boolean', 'date', 'integer', 'number', 'string'];
const COLUMN_FORMATS = ['binary', 'byte', 'date', 'date-time', 'double', 'float', 'int32', 'int64', 'password'];
const SELECTABLE_FIELDS_MAX = 8;

export function validateSubresources(
  subresources: CustomResourceSubresources | undefined,
  path: FieldPath,
  errors: FieldErrors,
): void {
  const scale = subresources?.scale;
  if (scale === undefined) return;
  const checks = [
    ['specReplicasPath', scale.specReplicasPath, ['.spec.'], 'should be a json path under .spec'],
    ['statusReplicasPath', scale.statusReplicasPath, ['.status.'], 'should be a json path under .status'],
    [
      'labelSelectorPath',
      scale.labelSelectorPath,
      ['.spec.', '.status.'],
      'should be a json path under either .spec or .status',
    ],
  ] as const;
  for (const [name, value, prefixes, words] of checks) {
    const at = path.child(`scale.${name}`);
    if (!value) {
      if (name !== 'labelSelectorPath') errors.required(at);
    } else if (!value.startsWith('.')) {
      errors.invalid(at, value, 'must be a simple json path starting with .');
    } else if (!prefixes.some((prefix) => value.startsWith(prefix))) {
      errors.invalid(at, value, words);
    }
  }
}

export function validateColumns(
  columns: readonly CustomResourceColumnDefinition[] | undefined,
  path: FieldPath,
  errors: FieldErrors,
): void {
  for (const [i, column] of (columns ?? []).entries()) {
    const at = path.index(i);
    const { name, type, format, jsonPath } = column;
    if (name === '') errors.required(at.child('name'));
    if (type === '') errors.required(at.child('type'), `must be one of ${COLUMN_TYPES.join(',')}`);
    else if (!COLUMN_TYPES.includes(type))
      errors.invalid(at.child('type'), type, `must be one of ${COLUMN_TYPES.join(',')}`);
    if (format && !COLUMN_FORMATS.includes(format))
      errors.invalid(at.child('format'), format, `must be one of ${COLUMN_FORMATS.join(',')}`);
    if (jsonPath === '') errors.required(at.child('JSONPath'));
    else if (!jsonPath.startsWith('.'))
      errors.invalid(at.child('JSONPath'), jsonPath, 'must be a simple json path starting with .');
  }
}

export function validateSelectableFields(
  fields: readonly SelectableField[] | undefined,
  path: FieldPath,
  errors: FieldErrors,
): void {
  if (fields === undefined) return;
  if (fields.length > SELECTABLE_FIELDS_MAX) errors.tooMany(path, fields.length, SELECTABLE_FIELDS_MAX);
  const seen = new Set<string>();
  for (const [i, { jsonPath }] of fields.entries()) {
    const at = path.index(i).child('jsonPath');
    if (jsonPath === '') errors.required(at);
    else if (!jsonPath.startsWith('.')) errors.invalid(at, jsonPath, 'must be a simple json path starting with .');
    else if (jsonPath === '.metadata' || jsonPath.startsWith('.metadata.'))
      errors.invalid(at, jsonPath, 'must not point to fields in metadata');
    if (seen.has(jsonPath)) errors.duplicate(at, jsonPath);
    seen.add(jsonPath);
  }
}

/** The text of the `Warning` header for requests of a deprecated version. */
export function validateDeprecationWarning(
  { deprecated, deprecationWarning: warning }: { deprecated?: boolean; deprecationWarning?: string },
  path: FieldPath,
  errors: FieldErrors,
): void {
  if (warning === undefined) return;
  if (!deprecated) return errors.invalid(path, warning, 'can only be set for deprecated versions');
  if (Buffer.byteLength(warning) > 256) errors.invalid(path, warning, 'must be <= 256 characters long');
  if (warning === '') errors.invalid(path, warning, 'must not be an empty string');
  const index = [...warning].findIndex((char) => !/^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u.test(char));
  if (index >= 0)
    errors.invalid(
      path,
      warning,
      `must only contain printable UTF-8 characters; non-printable character found at index ${index}`,
    );
}
