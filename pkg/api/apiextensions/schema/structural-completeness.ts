import type { FieldErrors } from '../../../apimachinery/errors/field-errors.ts';
import type { FieldPath } from '../../../apimachinery/errors/field-path.ts';
import { getKey } from '../../../apimachinery/json/own-keys.ts';
import type { JSONSchemaProps } from '../../../generated/types/apiextensions-v1.ts';

/** Checks that everything that junctors restrict is declared outside of them. */
export function validateCompleteness(schema: JSONSchemaProps, path: FieldPath, errors: FieldErrors): void {
  compareJunctors(schema, schema, path, path, errors);
  if (schema.items !== undefined && !Array.isArray(schema.items))
    validateCompleteness(schema.items, path.child('items'), errors);
  for (const [name, property] of Object.entries(schema.properties ?? {}))
    validateCompleteness(property, path.child('properties').key(name), errors);
  if (typeof schema.additionalProperties === 'object') {
    validateCompleteness(schema.additionalProperties, path.child('additionalProperties'), errors);
  }
}

/** `declared` is outside of the junctors at `path`; `restricting` has them, at `restrictingPath`. */
function compareJunctors(
  restricting: JSONSchemaProps,
  declared: JSONSchemaProps,
  path: FieldPath,
  restrictingPath: FieldPath,
  errors: FieldErrors,
): void {
  if (restricting.not !== undefined) compare(restricting.not, declared, path, restrictingPath.child('not'), errors);
  for (const junctor of ['allOf', 'anyOf', 'oneOf'] as const) {
    for (const [i, part] of (restricting[junctor] ?? []).entries())
      compare(part, declared, path, restrictingPath.child(junctor).index(i), errors);
  }
}

function compare(
  restricting: JSONSchemaProps,
  declared: JSONSchemaProps | undefined,
  path: FieldPath,
  restrictingPath: FieldPath,
  errors: FieldErrors,
): void {
  if (declared === undefined) return errors.required(path, `because it is defined in ${restrictingPath.toString()}`);
  compareJunctors(restricting, declared, path, restrictingPath, errors);
  if (restricting.items !== undefined && !Array.isArray(restricting.items)) {
    const items = Array.isArray(declared.items) ? undefined : declared.items;
    compare(restricting.items, items, path.child('items'), restrictingPath.child('items'), errors);
  }
  for (const [name, property] of Object.entries(restricting.properties ?? {})) {
    compare(
      property,
      getKey<JSONSchemaProps>(declared.properties, name),
      path.child('properties').key(name),
      restrictingPath.child('properties').key(name),
      errors,
    );
  }
}
