/** A group, version and kind as documents name it. */
export interface GroupVersionKind {
  group: string;
  kind: string;
  version: string;
}

/** The part of JSON Schema that the documents use. */
export interface JsonSchema {
  $ref?: string;
  allOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  type?: 'array' | 'boolean' | 'integer' | 'number' | 'object' | 'string';
  format?: string;
  description?: string;
  default?: unknown;
  enum?: readonly string[];
  items?: JsonSchema;
  properties?: Record<string, JsonSchema>;
  additionalProperties?: JsonSchema;
  required?: readonly string[];
  'x-kubernetes-group-version-kind'?: readonly GroupVersionKind[];
  'x-kubernetes-patch-strategy'?: string;
  'x-kubernetes-patch-merge-key'?: string;
  'x-kubernetes-list-type'?: string;
  'x-kubernetes-list-map-keys'?: readonly string[];
  'x-kubernetes-map-type'?: string;
}

/** How the versions of OpenAPI differ in schemas. */
export interface SchemaDialect {
  readonly version: 'v2' | 'v3';
  /** The prefix of a definition's name in `$ref`. */
  readonly refPrefix: string;
}

export const v2Dialect: SchemaDialect = { version: 'v2', refPrefix: '#/definitions/' };
export const v3Dialect: SchemaDialect = { version: 'v3', refPrefix: '#/components/schemas/' };
