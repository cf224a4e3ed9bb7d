import type { FieldErrors } from '../../../apimachinery/errors/field-errors.ts';
import type { FieldPath } from '../../../apimachinery/errors/field-path.ts';
import { goText } from '../../../apimachinery/values/go-format.ts';
import type { CustomResourceValidation, JSONSchemaProps } from '../../../generated/types/apiextensions-v1.ts';
import { validateOpenApiSchema } from '../schema/openapi-validation.ts';
import { validateStructural } from '../schema/structural-validation.ts';
import { schemaDepth, someSchema } from '../schema/sub-schemas.ts';
import type { Requirements } from './requirements.ts';

/**
 * Real schemas are far from it; without a limit a hostile one would exhaust the stack. Kubernetes has none of its own.
 */
const DEPTH_MAX = 256;

/** With a status subresource, the schema is also applied to the status alone: only these fields work there. */
const ALLOWED_AT_ROOT = [
  'Description',
  'Type',
  'Format',
  'Title',
  'Maximum',
  'ExclusiveMaximum',
  'Minimum',
  'ExclusiveMinimum',
  'MaxLength',
  'MinLength',
  'Pattern',
  'MaxItems',
  'MinItems',
  'UniqueItems',
  'MultipleOf',
  'Required',
  'Items',
  'Properties',
  'ExternalDocs',
  'Example',
  'XPreserveUnknownFields',
  'XValidations',
];

/** Checks the schema of one version, or of all. */
export function validateSchema(
  validation: CustomResourceValidation | undefined,
  hasStatus: boolean,
  requirements: Requirements,
  path: FieldPath,
  errors: FieldErrors,
): void {
  const schema = validation?.openAPIV3Schema;
  if (schema === undefined) return;
  const schemaPath = path.child('openAPIV3Schema');
  if (schemaDepth(schema) > DEPTH_MAX)
    return errors.invalid(schemaPath, '', `must not be nested more than ${DEPTH_MAX} levels deep`);
  const before = errors.length;
  if (hasStatus) validateRoot(schema, path, errors);
  if (schema.nullable) errors.forbidden(path.child('openAPIV3Schema.nullable'), 'nullable cannot be true at the root');
  validateOpenApiSchema(schema, requirements, schemaPath, errors);
  if (!requirements.structural) return;
  // A schema without any structure is reported already.
  if (!someSchema(schema, hasNoStructure)) validateStructural(schema, schemaPath, errors);
  else if (errors.length === before) errors.invalid(schemaPath, '', "OpenAPIV3Schema 'schema' is not supported");
}

function validateRoot(schema: JSONSchemaProps, path: FieldPath, errors: FieldErrors): void {
  if (schema.type && schema.type !== 'object') {
    errors.invalid(
      path.child('openAPIV3Schema.type'),
      schema.type,
      'only "object" is allowed as the type at the root of the schema if the status subresource is enabled',
    );
  }
  if (Object.entries(schema).every(([name, value]) => value === undefined || ALLOWED_AT_ROOT.includes(goName(name))))
    return;
  errors.invalid(
    path.child('openAPIV3Schema'),
    goText('apiextensions.JSONSchemaProps{}'),
    `only [${ALLOWED_AT_ROOT.join(' ')}] fields are allowed at the root of the schema if the status subresource is enabled`,
  );
}

/** `maxLength` is `MaxLength` in Go, `x-kubernetes-validations` is `XValidations`. */
function goName(name: string): string {
  return name
    .replace(/^x-kubernetes-/, 'x-')
    .replaceAll(/(?:^|-)([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

function hasNoStructure(schema: JSONSchemaProps): boolean {
  return (
    Boolean(schema.id || schema.$schema || schema.$ref) ||
    schema.additionalItems !== undefined ||
    Array.isArray(schema.items) ||
    schema['x-kubernetes-preserve-unknown-fields'] === false ||
    [schema.patternProperties, schema.dependencies, schema.definitions].some((map) => Object.keys(map ?? {}).length > 0)
  );
}
