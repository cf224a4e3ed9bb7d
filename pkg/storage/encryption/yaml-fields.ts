import type { FieldErrors } from '../../apimachinery/errors/field-errors.ts';
import type { FieldPath } from '../../apimachinery/errors/field-path.ts';
import { isJsonObject, type JsonObject } from '../../apimachinery/json/json-object.ts';

/** The mappings of a list; none for an absent one, with an error for anything that is no list. */
export function listOf(value: unknown, at: FieldPath, errors: FieldErrors): JsonObject[] {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value)) return value.map(fieldsOf);
  errors.typeInvalid(at, value, 'must be a list');
  return [];
}

/** A mapping; an empty one for everything else. */
export function fieldsOf(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}
