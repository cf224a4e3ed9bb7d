import type { FieldKind } from '../../apimachinery/schema.ts';
import { schemaOf } from '../../codec/schemas.ts';
import { type Descriptions, describe } from './descriptions.ts';
import type { Parameter } from './operation.ts';

/** Parameters of operations. Most stand for fields of an options type, from which type and description are taken. */

const typeMeta = new Set(['apiVersion', 'kind']);

function typeOf(kind: FieldKind): Parameter['type'] | undefined {
  switch (kind) {
    case 'string':
    case 'time':
      return 'string';
    case 'bool':
      return 'boolean';
    case 'int32':
    case 'int64':
      return 'integer';
    default:
      return undefined;
  }
}

/** One query parameter for each plain field of the message but those `without`. */
export function optionParameters(
  message: string,
  descriptions: Descriptions,
  without: readonly string[] = [],
): Parameter[] {
  return schemaOf(message).fields.flatMap((field): Parameter[] => {
    const type = typeOf(field.kind);
    if (type === undefined || typeMeta.has(field.name) || without.includes(field.name)) return [];
    const description = describe(descriptions, message, field.name);
    return [{ name: field.name, in: 'query', type, ...(description === undefined ? {} : { description }) }];
  });
}

/** The parameters of each sort of operation. */
export interface ParameterSets {
  readonly list: readonly Parameter[];
  readonly read: readonly Parameter[];
  readonly create: readonly Parameter[];
  readonly update: readonly Parameter[];
  readonly patch: readonly Parameter[];
  readonly remove: readonly Parameter[];
  readonly pretty: Parameter;
  readonly namespace: Parameter;
  name(kind: string): Parameter;
}

const includeUninitialized: Parameter = {
  name: 'includeUninitialized',
  in: 'query',
  type: 'boolean',
  description: 'Old: also return objects that were not initialized. Has no effect, since none are.',
};

const readParameters: readonly Parameter[] = [
  {
    name: 'exact',
    in: 'query',
    type: 'boolean',
    description: 'Old: with export, keep fields that belong to the cluster, such as the namespace.',
  },
  { name: 'export', in: 'query', type: 'boolean', description: 'Old: leave out fields that users cannot set.' },
];

export function parameterSets(descriptions: Descriptions): ParameterSets {
  return {
    list: [...optionParameters('meta/v1.ListOptions', descriptions, ['shardSelector']), includeUninitialized],
    read: readParameters,
    create: optionParameters('meta/v1.CreateOptions', descriptions),
    update: optionParameters('meta/v1.UpdateOptions', descriptions),
    patch: optionParameters('meta/v1.PatchOptions', descriptions),
    remove: optionParameters('meta/v1.DeleteOptions', descriptions, [
      'ignoreStoreReadErrorWithClusterBreakingPotential',
    ]),
    pretty: {
      name: 'pretty',
      in: 'query',
      type: 'string',
      description: 'With "true", the answer is printed for people.',
    },
    namespace: {
      name: 'namespace',
      in: 'path',
      type: 'string',
      required: true,
      description: 'Namespace of the object.',
    },
    name: (kind) => ({ name: 'name', in: 'path', type: 'string', required: true, description: `Name of the ${kind}.` }),
  };
}

export const pathBelow: Parameter = {
  name: 'path',
  in: 'path',
  type: 'string',
  required: true,
  description: 'Path for the target of the proxy.',
};
