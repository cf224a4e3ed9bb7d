import type { FieldSchema } from '../../apimachinery/schema.ts';
import { type SchemaData, schemaFromData } from '../../codec/schema-data.ts';
import { constantsOf, hasSchema } from '../../codec/schemas.ts';
import { type Descriptions, describe } from './descriptions.ts';
import type { GroupVersionKind, JsonSchema, SchemaDialect } from './json-schema.ts';
import { specialSchemas } from './special-schemas.ts';
import { definitionName } from './type-names.ts';

/** The schema of a message and the messages that it refers to. */
export interface TypeSchema {
  readonly schema: JsonSchema;
  readonly references: ReadonlySet<string>;
}

/** What schemas are made from besides the field tables. */
export interface SchemaContext {
  readonly dialect: SchemaDialect;
  readonly descriptions: Descriptions;
  /** Tables of kinds that are not in `proto/`, of all resources together. */
  readonly data: SchemaData;
  /** Kinds that objects of the message can have; empty for parts of objects. */
  kindsOf(message: string): readonly GroupVersionKind[];
}

/** Structs that are replaced as a whole, never merged. */
const atomicTypes = new Set([
  'meta/v1.LabelSelector',
  'meta/v1.OwnerReference',
  ...[
    'ConfigMapKeySelector',
    'EndpointAddress',
    'EndpointPort',
    'FileKeySelector',
    'LocalObjectReference',
    'NodeSelector',
    'NodeSelectorTerm',
    'ObjectFieldSelector',
    'ObjectReference',
    'ResourceFieldSelector',
    'SecretKeySelector',
    'SecretReference',
    'TopologySelectorTerm',
    'TypedLocalObjectReference',
  ].map((name) => `core/v1.${name}`),
  ...['v1', 'v1beta1', 'v1alpha1'].flatMap((version) => [`rbac/${version}.RoleRef`, `rbac/${version}.Subject`]),
  ...['v1', 'v2', 'v2beta1'].map((version) => `autoscaling/${version}.CrossVersionObjectReference`),
  ...['v1', 'v1beta1', 'v1alpha1'].flatMap((version) =>
    ['MatchResources', 'NamedRuleWithOperations', 'ParamKind', 'ParamRef'].map(
      (name) => `admissionregistration/${version}.${name}`,
    ),
  ),
]);

/** String types to which users and later releases add values of their own. */
const openTypes =
  /ConditionType$|\.(CauseType|ClaimResourceStatus|FinalizerName|LimitType|MetricStatusType|ResourceName|SecretType|StatusReason|StorageMedium)$/;

/** Its JSON form has no `kind` and `apiVersion`, though the table of every kind starts with them. */
const bareKinds = new Set(['meta/v1.WatchEvent']);

const typeMetaTexts: Readonly<Record<string, string>> = {
  kind: 'Kind of the object, in CamelCase. The server can tell it from the URL; it cannot be changed.',
  apiVersion:
    'Group and version of this form of the object, for example "apps/v1". The server converts what it knows and refuses the rest.',
};

/** `message` is `package.Name`, one with a field table or one of the special types. */
export function typeSchema(message: string, context: SchemaContext): TypeSchema {
  const special = specialSchemas.get(message);
  if (special !== undefined)
    return { schema: (context.dialect.version === 'v3' ? special.v3 : undefined) ?? special.v2, references: new Set() };
  const references = new Set<string>();
  const table = schemaFromData(context.data, message);
  const fields = bareKinds.has(message)
    ? table.fields.filter((f) => !Object.hasOwn(typeMetaTexts, f.name))
    : table.fields;
  const required = fields.filter((f) => f.required).map((f) => f.name);
  const kinds = context.kindsOf(message);
  const schema: JsonSchema = {
    ...described(describe(context.descriptions, message)),
    ...(fields.length === 0
      ? {}
      : { properties: Object.fromEntries(fields.map((f) => [f.name, fieldSchema(message, f, context, references)])) }),
    ...(required.length === 0 ? {} : { required }),
    type: 'object',
    ...(kinds.length === 0 ? {} : { 'x-kubernetes-group-version-kind': kinds }),
    ...(atomicTypes.has(message) ? { 'x-kubernetes-map-type': 'atomic' } : {}),
  };
  return { schema, references };
}

const described = (description: string | undefined): { description?: string } =>
  description === undefined || description === '' ? {} : { description };

function fieldSchema(message: string, field: FieldSchema, context: SchemaContext, references: Set<string>): JsonSchema {
  const description = describe(context.descriptions, message, field.name) ?? typeMetaText(field);
  const value = valueSchema(field, context, references);
  const extensions = {
    ...(field.listMapKeys === undefined ? {} : { 'x-kubernetes-list-map-keys': field.listMapKeys }),
    ...(field.listType === undefined ? {} : { 'x-kubernetes-list-type': field.listType }),
    ...(field.mapType === undefined ? {} : { 'x-kubernetes-map-type': field.mapType }),
    ...(field.patchMergeKey === undefined ? {} : { 'x-kubernetes-patch-merge-key': field.patchMergeKey }),
    ...(field.patchStrategy === undefined ? {} : { 'x-kubernetes-patch-strategy': field.patchStrategy }),
  };
  switch (field.card) {
    case 'list':
      return {
        ...described(description),
        type: 'array',
        items: itemSchema(field, value, context.dialect),
        ...extensions,
      };
    case 'map':
      return {
        ...described(description),
        type: 'object',
        additionalProperties: itemSchema(field, value, context.dialect),
        ...extensions,
      };
    case 'single':
      return {
        ...wrapped(value, context.dialect),
        ...described(description),
        ...defaultOf(field, context.dialect),
        ...extensions,
      };
  }
}

const typeMetaText = (field: FieldSchema): string | undefined =>
  Object.hasOwn(typeMetaTexts, field.name) && field.kind === 'string' ? typeMetaTexts[field.name] : undefined;

/** v3 forbids anything beside `$ref`. */
function wrapped(value: JsonSchema, dialect: SchemaDialect): JsonSchema {
  return value.$ref !== undefined && dialect.version === 'v3' ? { allOf: [value] } : value;
}

function itemSchema(field: FieldSchema, value: JsonSchema, dialect: SchemaDialect): JsonSchema {
  if (dialect.version === 'v2') return value;
  const zero = zeroOf(field);
  return zero === undefined ? value : { ...wrapped(value, dialect), default: zero };
}

function valueSchema(field: FieldSchema, { dialect, data }: SchemaContext, references: Set<string>): JsonSchema {
  switch (field.kind) {
    case 'string':
      return { type: 'string', ...enumOf(field) };
    case 'bool':
      return { type: 'boolean' };
    case 'int32':
    case 'int64':
      return { type: 'integer', format: field.kind };
    case 'double':
      return { type: 'number', format: 'double' };
    case 'bytes':
      return { type: 'string', format: 'byte' };
    case 'stringList':
      return { type: 'array', items: { type: 'string', ...(dialect.version === 'v3' ? { default: '' } : {}) } };
    default: {
      const name = field.refName;
      if (name === undefined) return {};
      if (!specialSchemas.has(name) && !hasSchema(name) && !Object.hasOwn(data, name))
        throw new Error(`${field.name}: no schema for ${name}`);
      references.add(name);
      return { $ref: dialect.refPrefix + definitionName(name) };
    }
  }
}

function enumOf(field: FieldSchema): { enum?: readonly string[] } {
  if (field.enum === undefined || openTypes.test(field.enum)) return {};
  const values = constantsOf(field.enum);
  return values.length === 0 ? {} : { enum: values };
}

function defaultOf(field: FieldSchema, dialect: SchemaDialect): { default?: unknown } {
  if (field.default !== undefined) return { default: JSON.parse(field.default) as unknown };
  if (dialect.version === 'v2' || field.pointer || (field.omitEmpty && field.kind !== 'message')) return {};
  const zero = zeroOf(field);
  return zero === undefined ? {} : { default: zero };
}

/** The default of an absent field; undefined where that is not a plain zero. */
function zeroOf(field: FieldSchema): unknown {
  switch (field.kind) {
    case 'message':
      return {};
    case 'string':
      return '';
    case 'bool':
      return false;
    case 'int32':
    case 'int64':
    case 'double':
      return 0;
    default:
      return undefined;
  }
}
