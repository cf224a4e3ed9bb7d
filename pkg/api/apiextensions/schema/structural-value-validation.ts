import { deepEqual } from '../../../apimachinery/json/deep.ts';
import type { FieldErrors } from '../../../apimachinery/errors/field-errors.ts';
import type { FieldPath } from '../../../apimachinery/errors/field-path.ts';
import { getKey } from '../../../apimachinery/json/own-keys.ts';
import type { JSONSchemaProps } from '../../../generated/types/apiextensions-v1.ts';

const INT_OR_STRING = [{ type: 'integer' }, { type: 'string' }];

/** Syntax that JavaScript's expressions lack, or read differently from RE2: such patterns are not checked. */
const RE2_ONLY = /\(\?[a-zA-Z-]+[:)]|\(\?P<|\\[AzQECapP]|\[\[:/;

/** Checks a schema, except its junctors. */
export function validateValueValidation(schema: JSONSchemaProps, path: FieldPath, errors: FieldErrors): void {
  validateJunctors(
    schema,
    { anyOf: isIntOrString(schema.anyOf), allOf: isIntOrString(schema.allOf?.[0]?.anyOf) },
    path,
    errors,
  );
}

/** `skip` marks the two places in which integers or strings are distinguished by type. */
function validateJunctors(
  schema: JSONSchemaProps,
  skip: { anyOf: boolean; allOf: boolean },
  path: FieldPath,
  errors: FieldErrors,
): void {
  if (!skip.anyOf)
    for (const [i, part] of (schema.anyOf ?? []).entries())
      validateNested(part, false, path.child('anyOf').index(i), errors);
  for (const [i, part] of (schema.allOf ?? []).entries())
    validateNested(part, skip.allOf && i === 0, path.child('allOf').index(i), errors);
  for (const [i, part] of (schema.oneOf ?? []).entries())
    validateNested(part, false, path.child('oneOf').index(i), errors);
  if (schema.not !== undefined) validateNested(schema.not, false, path.child('not'), errors);
  const problem = patternProblem(schema.pattern);
  if (problem !== undefined) {
    errors.invalid(
      path.child('pattern'),
      schema.pattern,
      `must be a valid regular expression, but isn't: error parsing regexp: ${problem}`,
    );
  }
}

/** Inside of junctors values may be restricted, but nothing is declared. */
function validateNested(schema: JSONSchemaProps, skipAnyOf: boolean, path: FieldPath, errors: FieldErrors): void {
  validateJunctors(schema, { anyOf: skipAnyOf, allOf: false }, path, errors);
  if (schema.items !== undefined && !Array.isArray(schema.items))
    validateNested(schema.items, false, path.child('items'), errors);
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    validateNested(property, false, path.child('properties').key(name), errors);
  }
  for (const name of ['type', 'title', 'description'] as const) {
    if (schema[name]) errors.forbidden(path.child(name), 'must be empty to be structural');
  }
  for (const name of [
    'additionalProperties',
    'default',
    'externalDocs',
    'x-kubernetes-list-type',
    'x-kubernetes-map-type',
  ] as const) {
    if (schema[name] !== undefined) errors.forbidden(path.child(name), 'must be undefined to be structural');
  }
  for (const name of [
    'nullable',
    'x-kubernetes-preserve-unknown-fields',
    'x-kubernetes-embedded-resource',
    'x-kubernetes-int-or-string',
  ] as const) {
    if (schema[name]) errors.forbidden(path.child(name), 'must be false to be structural');
  }
  for (const name of ['x-kubernetes-list-map-keys', 'x-kubernetes-validations'] as const) {
    if (schema[name]?.length) errors.forbidden(path.child(name), 'must be empty to be structural');
  }
  if (getKey(schema.properties, 'metadata') !== undefined) {
    errors.forbidden(path.child('properties').key('metadata'), 'must not be specified in a nested context');
  }
}

function isIntOrString(parts: JSONSchemaProps[] | undefined): boolean {
  return parts !== undefined && deepEqual(parts, INT_OR_STRING);
}

/** Reports a pattern as invalid only where both kinds of expressions agree. The pattern is compiled, never run. */
function patternProblem(pattern: string | undefined): string | undefined {
  if (!pattern || RE2_ONLY.test(pattern)) return undefined;
  try {
    new RegExp(pattern);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message.replace(/^Invalid regular expression: /, '') : String(error);
  }
}
