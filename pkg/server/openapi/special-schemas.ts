import type { JsonSchema } from './json-schema.ts';

/** Types whose JSON form is not an object of their fields, or that have no message in `proto/`. */

interface SpecialSchema {
  /** As OpenAPI v2 can say it. */
  readonly v2: JsonSchema;
  /** Where v3 can say more. */
  readonly v3?: JsonSchema;
}

const anyJson = 'Any JSON value.';
const schemaOr = (other: string): SpecialSchema => ({ v2: { description: `A schema or ${other}.` } });

const openApiTypes = (pkg: string): [string, SpecialSchema][] => [
  [`${pkg}.JSON`, { v2: { description: `${anyJson} Kept as it is.` } }],
  [`${pkg}.JSONSchemaPropsOrArray`, schemaOr('a list of schemas')],
  [`${pkg}.JSONSchemaPropsOrBool`, schemaOr('a boolean')],
  [`${pkg}.JSONSchemaPropsOrStringArray`, schemaOr('a list of strings')],
];

const versionInfoFields = [
  'major',
  'minor',
  'gitVersion',
  'gitCommit',
  'gitTreeState',
  'buildDate',
  'goVersion',
  'compiler',
  'platform',
];

export const specialSchemas: ReadonlyMap<string, SpecialSchema> = new Map<string, SpecialSchema>([
  [
    'meta/v1.Time',
    { v2: { type: 'string', format: 'date-time', description: 'A moment in RFC 3339 form, in whole seconds.' } },
  ],
  [
    'meta/v1.MicroTime',
    { v2: { type: 'string', format: 'date-time', description: 'A moment in RFC 3339 form, in microseconds.' } },
  ],
  ['meta/v1.Duration', { v2: { type: 'string', description: 'A span of time such as "1h30m" or "250ms".' } }],
  [
    'meta/v1.FieldsV1',
    {
      v2: {
        type: 'object',
        description:
          'A set of fields as a tree: keys name fields, list items and map entries, and leaves are empty objects.',
      },
    },
  ],
  [
    'meta/v1.Patch',
    { v2: { type: 'object', description: 'A change to an object, in the form that the Content-Type names.' } },
  ],
  ['runtime.RawExtension', { v2: { type: 'object', description: 'An object of any kind, kept as it is.' } }],
  [
    'resource.Quantity',
    {
      v2: { type: 'string', description: quantityDescription() },
      v3: { oneOf: [{ type: 'string' }, { type: 'number' }], description: quantityDescription() },
    },
  ],
  [
    'intstr.IntOrString',
    {
      v2: {
        type: 'string',
        format: 'int-or-string',
        description: 'A number or a string, for example a port by number or by name.',
      },
      v3: {
        oneOf: [{ type: 'integer' }, { type: 'string' }],
        format: 'int-or-string',
        description: 'A number or a string, for example a port by number or by name.',
      },
    },
  ],
  [
    'version.Info',
    {
      v2: {
        type: 'object',
        description: 'The version of the server and how it was built.',
        properties: Object.fromEntries(versionInfoFields.map((name) => [name, { type: 'string' }])),
        required: versionInfoFields,
      },
    },
  ],
  ...openApiTypes('apiextensions/v1'),
  ...openApiTypes('apiextensions/v1beta1'),
]);

function quantityDescription(): string {
  return (
    'A number with an optional suffix: decimal (n, u, m, k, M, G, T, P, E), binary (Ki, Mi, Gi, Ti, Pi, Ei) or an exponent ("12e6"). ' +
    'Written back in the shortest form that keeps the value and the kind of suffix, with at most three digits behind the point.'
  );
}
