import type { FieldErrors } from '../../../apimachinery/errors/field-errors.ts';
import type { FieldPath } from '../../../apimachinery/errors/field-path.ts';
import type { JSONSchemaProps } from '../../../generated/types/apiextensions-v1.ts';
import { validateListAndMapTypes } from './list-type-validation.ts';
import { validateRules } from './rule-validation.ts';

/** The position within the whole schema, as far as rules depend on it. */
interface Position {
  readonly root: boolean;
  /** In the schema of `metadata`, `apiVersion` or `kind`. */
  readonly resourceMeta: boolean;
  /** Why no defaults may be set here. */
  readonly noDefaults?: string;
}

/** Errors that the stored object does not have already. */
export interface SchemaRequirements {
  readonly knownTypes: boolean;
  readonly atomicSetItems: boolean;
  readonly mapKeysAlwaysSet: boolean;
}

const TYPES = ['array', 'boolean', 'integer', 'number', 'object', 'string'];
const RESOURCE_META: ReadonlySet<string> = new Set(['metadata', 'apiVersion', 'kind']);

/** Checks that a schema keeps to the part of OpenAPI v3 that custom resources may use. */
export function validateOpenApiSchema(
  schema: JSONSchemaProps,
  requirements: SchemaRequirements,
  path: FieldPath,
  errors: FieldErrors,
): void {
  validateSchema(schema, { root: true, resourceMeta: false }, requirements, path, errors);
}

function validateSchema(
  schema: JSONSchemaProps,
  position: Position,
  requirements: SchemaRequirements,
  path: FieldPath,
  errors: FieldErrors,
): void {
  validateUnsupported(schema, position, requirements, path, errors);
  if (schema.uniqueItems) {
    errors.forbidden(
      path.child('uniqueItems'),
      'uniqueItems cannot be set to true since the runtime complexity becomes quadratic',
    );
  }
  const inside = { ...position, root: false };
  validateAdditionalProperties(schema, inside, requirements, path, errors);
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const meta = RESOURCE_META.has(name) && (position.root || schema['x-kubernetes-embedded-resource'] === true);
    const there: Position = meta
      ? { root: false, resourceMeta: true, noDefaults: position.root ? `in top-level ${name}` : position.noDefaults }
      : inside;
    validateSchema(property, there, requirements, path.child('properties').key(name), errors);
  }
  if (schema.not !== undefined) validateSchema(schema.not, inside, requirements, path.child('not'), errors);
  for (const junctor of ['allOf', 'oneOf', 'anyOf'] as const) {
    for (const [i, part] of (schema[junctor] ?? []).entries())
      validateSchema(part, inside, requirements, path.child(junctor).index(i), errors);
  }
  for (const [name, definition] of Object.entries(schema.definitions ?? {})) {
    validateSchema(definition, inside, requirements, path.child('definitions').key(name), errors);
  }
  if (Array.isArray(schema.items)) {
    for (const [i, item] of schema.items.entries())
      validateSchema(item, inside, requirements, path.child('items').index(i), errors);
  } else if (schema.items !== undefined) {
    validateSchema(schema.items, inside, requirements, path.child('items'), errors);
  }
  for (const [name, dependency] of Object.entries(schema.dependencies ?? {})) {
    if (!Array.isArray(dependency))
      validateSchema(dependency, inside, requirements, path.child('dependencies').key(name), errors);
  }
  if (schema['x-kubernetes-preserve-unknown-fields'] === false) {
    errors.invalid(path.child('x-kubernetes-preserve-unknown-fields'), false, 'must be true or undefined');
  }
  validateListAndMapTypes(schema, requirements, path, errors);
  validateRules(schema['x-kubernetes-validations'] ?? [], path.child('x-kubernetes-validations'), errors);
}

function validateAdditionalProperties(
  schema: JSONSchemaProps,
  position: Position,
  requirements: SchemaRequirements,
  path: FieldPath,
  errors: FieldErrors,
): void {
  const { additionalProperties } = schema;
  if (additionalProperties === undefined) return;
  const at = path.child('additionalProperties');
  if (Object.keys(schema.properties ?? {}).length > 0 && additionalProperties !== true) {
    errors.forbidden(at, 'additionalProperties and properties are mutual exclusive');
  }
  if (typeof additionalProperties === 'boolean') return;
  const noDefaults = position.resourceMeta
    ? 'inside additionalProperties applying to object metadata'
    : position.noDefaults;
  validateSchema(additionalProperties, { ...position, noDefaults }, requirements, at, errors);
}

/** Keywords of OpenAPI and JSON Schema that custom resources do not have. */
function validateUnsupported(
  schema: JSONSchemaProps,
  position: Position,
  requirements: SchemaRequirements,
  path: FieldPath,
  errors: FieldErrors,
): void {
  const type = schema.type ?? '';
  if (requirements.knownTypes && type !== '' && !TYPES.includes(type))
    errors.notSupported(path.child('type'), type, TYPES);
  if (schema.default !== undefined && position.noDefaults !== undefined) {
    errors.forbidden(path.child('default'), `must not be set ${position.noDefaults}`);
  }
  const refused: readonly [name: string, present: boolean][] = [
    ['id', Boolean(schema.id)],
    ['additionalItems', schema.additionalItems !== undefined],
    ['patternProperties', Object.keys(schema.patternProperties ?? {}).length > 0],
    ['definitions', Object.keys(schema.definitions ?? {}).length > 0],
    ['dependencies', schema.dependencies !== undefined],
    ['$ref', schema.$ref !== undefined],
  ];
  for (const [name, present] of refused) if (present) errors.forbidden(path.child(name), `${name} is not supported`);
  if (type === 'null')
    errors.forbidden(path.child('type'), 'type cannot be set to null, use nullable as an alternative');
  if (Array.isArray(schema.items) && schema.items.length > 0) {
    errors.forbidden(path.child('items'), 'items must be a schema object and not an array');
  }
  if (position.resourceMeta && schema['x-kubernetes-embedded-resource']) {
    errors.forbidden(path.child('x-kubernetes-embedded-resource'), 'must not be used inside of resource meta');
  }
}
