import { FieldErrors, fieldErrorText } from '../../../apimachinery/errors/field-errors.ts';
import type { FieldPath } from '../../../apimachinery/errors/field-path.ts';
import { getKey } from '../../../apimachinery/json/own-keys.ts';
import type { JSONSchemaProps } from '../../../generated/types/apiextensions-v1.ts';
import { validateCompleteness } from './structural-completeness.ts';
import { validateValueValidation } from './structural-value-validation.ts';

/**
 * A schema is structural when types, properties and items can be read from it without looking into `allOf`, `anyOf`,
 * `oneOf` and `not`: these may only restrict what stands outside them. Pruning, defaulting and conversion depend on it.
 */

/** The position within a structural schema: the rules differ. */
type Level = 'root' | 'item' | 'field';

const EMPTY_TYPE: Readonly<Record<Level, string>> = {
  root: 'must not be empty at the root',
  item: 'must not be empty for specified array items',
  field: 'must not be empty for specified object fields',
};

/** Adds the errors that keep a schema from being structural, sorted by text as stock servers list them. */
export function validateStructural(schema: JSONSchemaProps, path: FieldPath, errors: FieldErrors): void {
  const found = new FieldErrors();
  validateInvariants(schema, 'root', path, found);
  validateCompleteness(schema, path, found);
  const texts = new Map(found.items.map((error) => [error, fieldErrorText(error)]));
  const sorted = new FieldErrors();
  sorted.items.push(...[...found.items].sort((a, b) => (texts.get(a)! < texts.get(b)! ? -1 : 1)));
  errors.add(sorted);
}

export function isStructural(schema: JSONSchemaProps, path: FieldPath): boolean {
  const errors = new FieldErrors();
  validateStructural(schema, path, errors);
  return errors.length === 0;
}

function validateInvariants(schema: JSONSchemaProps, level: Level, path: FieldPath, errors: FieldErrors): void {
  const items = Array.isArray(schema.items) ? undefined : schema.items;
  if (schema.type === 'array' && items === undefined) errors.required(path.child('items'), 'must be specified');
  if (items !== undefined) validateInvariants(items, 'item', path.child('items'), errors);
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    validateInvariants(property, 'field', path.child('properties').key(name), errors);
  }
  const { additionalProperties } = schema;
  if (additionalProperties !== undefined && level === 'root')
    errors.forbidden(path.child('additionalProperties'), 'must not be used at the root');
  if (typeof additionalProperties === 'object')
    validateInvariants(additionalProperties, 'field', path.child('additionalProperties'), errors);
  validateExtensions(schema, path, errors);
  validateValueValidation(schema, path, errors);
  validateType(schema, level, path, errors);
  validateResourceMeta(schema, level, path, errors);
}

function validateExtensions(schema: JSONSchemaProps, path: FieldPath, errors: FieldErrors): void {
  if (!schema['x-kubernetes-int-or-string']) return;
  for (const name of ['x-kubernetes-preserve-unknown-fields', 'x-kubernetes-embedded-resource'] as const) {
    if (schema[name]) errors.invalid(path.child(name), true, 'must be false if x-kubernetes-int-or-string is true');
  }
}

function validateType(schema: JSONSchemaProps, level: Level, path: FieldPath, errors: FieldErrors): void {
  const type = schema.type ?? '';
  const typePath = path.child('type');
  const embedded = schema['x-kubernetes-embedded-resource'] === true;
  if (embedded && type !== 'object') {
    const words = 'must be object if x-kubernetes-embedded-resource is true';
    if (type === '') errors.required(typePath, words);
    else errors.invalid(typePath, type, words);
  } else if (type === '' && !schema['x-kubernetes-int-or-string'] && !schema['x-kubernetes-preserve-unknown-fields']) {
    errors.required(typePath, EMPTY_TYPE[level]);
  }
  if (embedded && schema.additionalProperties !== undefined) {
    errors.forbidden(path.child('additionalProperties'), 'must not be used if x-kubernetes-embedded-resource is set');
  }
  if (level === 'root' && type !== '' && type !== 'object')
    errors.invalid(typePath, type, 'must be object at the root');
}

/** `apiVersion`, `kind` and `metadata` of a resource, embedded ones included, have fixed schemas. */
function validateResourceMeta(schema: JSONSchemaProps, level: Level, path: FieldPath, errors: FieldErrors): void {
  const embedded = schema['x-kubernetes-embedded-resource'] === true;
  const properties = path.child('properties');
  if (level === 'root' || embedded) {
    for (const [name, type] of [
      ['kind', 'string'],
      ['apiVersion', 'string'],
      ['metadata', 'object'],
    ] as const) {
      const property = getKey<JSONSchemaProps>(schema.properties, name);
      if (property !== undefined && property.type !== type)
        errors.invalid(properties.key(name).child('type'), property.type ?? '', `must be ${type}`);
    }
  }
  const metadata = getKey<JSONSchemaProps>(schema.properties, 'metadata');
  if (level === 'root' && metadata !== undefined && !restrictsNamesOnly(metadata)) {
    errors.forbidden(
      properties.key('metadata'),
      'must not specify anything other than name and generateName, but metadata is implicitly specified',
    );
  }
  if (
    embedded &&
    !schema['x-kubernetes-preserve-unknown-fields'] &&
    Object.keys(schema.properties ?? {}).length === 0
  ) {
    errors.required(
      properties,
      'must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields',
    );
  }
}

function restrictsNamesOnly({ type: _, properties, ...rest }: JSONSchemaProps): boolean {
  if (Object.keys(properties ?? {}).some((name) => name !== 'name' && name !== 'generateName')) return false;
  const ignored = new Set(['default', 'externalDocs', 'example']);
  return Object.entries(rest).every(([name, value]) => value === undefined || ignored.has(name));
}
