import type { JSONSchemaProps } from '../../../generated/types/apiextensions-v1.ts';

/** The direct sub-schemas of a schema, in any keyword. */
function* subSchemas(schema: JSONSchemaProps): Generator<JSONSchemaProps> {
  for (const one of [schema.not, schema.additionalProperties, schema.additionalItems])
    if (typeof one === 'object') yield one;
  if (Array.isArray(schema.items)) yield* schema.items;
  else if (schema.items !== undefined) yield schema.items;
  for (const list of [schema.allOf, schema.anyOf, schema.oneOf]) if (list !== undefined) yield* list;
  for (const map of [schema.properties, schema.patternProperties, schema.definitions])
    if (map !== undefined) yield* Object.values(map);
  for (const value of Object.values(schema.dependencies ?? {})) if (!Array.isArray(value)) yield value;
}

/**
 * Whether the condition holds for the schema or any inside it. Does not recurse: schemas come from clients, and may be
 * deep.
 */
export function someSchema(
  root: JSONSchemaProps | undefined,
  condition: (schema: JSONSchemaProps) => boolean,
): boolean {
  const waiting = root === undefined ? [] : [root];
  for (let schema = waiting.pop(); schema !== undefined; schema = waiting.pop()) {
    if (condition(schema)) return true;
    for (const inside of subSchemas(schema)) waiting.push(inside);
  }
  return false;
}

/** The nesting depth of schemas. */
export function schemaDepth(root: JSONSchemaProps): number {
  let depth = 0;
  for (let level = [root]; level.length > 0; level = level.flatMap((schema) => [...subSchemas(schema)])) depth++;
  return depth;
}

export function hasDefaults(root: JSONSchemaProps | undefined): boolean {
  return someSchema(root, (schema) => schema.default !== undefined);
}

/** Extensions that only structural schemas may have. */
export function hasKubernetesExtensions(root: JSONSchemaProps | undefined): boolean {
  return someSchema(root, (schema) =>
    Boolean(
      schema['x-kubernetes-embedded-resource'] ||
      schema['x-kubernetes-int-or-string'] ||
      schema['x-kubernetes-preserve-unknown-fields'] !== undefined ||
      schema['x-kubernetes-list-map-keys']?.length ||
      schema['x-kubernetes-list-type'] !== undefined ||
      schema['x-kubernetes-map-type'] !== undefined ||
      schema['x-kubernetes-validations']?.length,
    ),
  );
}
