import { type JsonSchema, type GroupVersionKind, v2Dialect } from './json-schema.ts';
import { type BodyType, type Operation, type Parameter, type PathItem, successTexts } from './operation.ts';
import { definitionName } from './type-names.ts';

/** OpenAPI v2 ("Swagger 2.0") documents in their JSON form. */

export interface V2Parameter {
  name: string;
  in: 'body' | 'path' | 'query';
  description?: string;
  required?: boolean;
  type?: Parameter['type'];
  uniqueItems?: boolean;
  schema?: JsonSchema;
}

export interface V2Operation {
  description: string;
  operationId: string;
  tags: readonly string[];
  consumes: readonly string[];
  produces: readonly string[];
  schemes: readonly string[];
  parameters?: V2Parameter[];
  responses: Record<string, { description: string; schema?: JsonSchema }>;
  'x-kubernetes-action'?: string;
  'x-kubernetes-group-version-kind'?: GroupVersionKind;
}

export type V2PathItem = { parameters?: V2Parameter[] } & Partial<Record<Operation['method'], V2Operation>>;

/** All of the document but paths and definitions. */
export interface V2Head {
  swagger: '2.0';
  info: { title: string; version: string };
}

export const v2Security = {
  securityDefinitions: {
    BearerToken: { description: 'Bearer token', in: 'header', name: 'authorization', type: 'apiKey' },
  },
  security: [{ BearerToken: [] as string[] }],
};

const schemes = ['https'] as const;

const ref = (message: string): JsonSchema => ({ $ref: v2Dialect.refPrefix + definitionName(message) });
const resultSchema = (result: BodyType): JsonSchema => (result === 'text' ? { type: 'string' } : ref(result.message));

export function v2PathItem(item: PathItem): V2PathItem {
  const rendered: V2PathItem = {};
  for (const operation of item.operations) rendered[operation.method] = renderOperation(operation);
  if (item.parameters.length > 0) rendered.parameters = item.parameters.map(renderParameter);
  return rendered;
}

function renderOperation(operation: Operation): V2Operation {
  const parameters = (operation.parameters ?? []).map(renderParameter);
  if (operation.body !== undefined) {
    parameters.unshift({
      name: 'body',
      in: 'body',
      ...(operation.body.required ? { required: true } : {}),
      schema: ref(operation.body.message),
    });
  }
  return {
    description: operation.description,
    consumes: operation.consumes,
    produces: operation.produces,
    schemes,
    tags: [operation.tag],
    operationId: operation.id,
    ...(parameters.length > 0 ? { parameters } : {}),
    responses: responses(operation),
    ...(operation.action === undefined ? {} : { 'x-kubernetes-action': operation.action }),
    ...(operation.kind === undefined ? {} : { 'x-kubernetes-group-version-kind': operation.kind }),
  };
}

function responses(operation: Operation): V2Operation['responses'] {
  const schema = resultSchema(operation.result);
  const success = operation.codes.map((code) => [String(code), { description: successTexts[code]!, schema }]);
  return Object.fromEntries([...success, ['401', { description: 'Unauthorized' }]]) as V2Operation['responses'];
}

function renderParameter(parameter: Parameter): V2Parameter {
  return {
    name: parameter.name,
    in: parameter.in,
    ...(parameter.description === undefined ? {} : { description: parameter.description }),
    ...(parameter.required ? { required: true } : {}),
    type: parameter.type,
    uniqueItems: true,
  };
}
