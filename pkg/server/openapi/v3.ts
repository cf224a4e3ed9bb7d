import { type GroupVersionKind, type JsonSchema, v3Dialect } from './json-schema.ts';
import { type BodyType, type Operation, type Parameter, type PathItem, successTexts } from './operation.ts';
import { definitionName } from './type-names.ts';

/** OpenAPI 3.0 documents in their JSON form; one for each group version. */

export interface V3Parameter {
  name: string;
  in: 'path' | 'query';
  description?: string;
  required?: boolean;
  schema: { type: Parameter['type']; uniqueItems: boolean };
}

export type V3Content = Record<string, { schema: JsonSchema }>;

export interface V3Operation {
  tags: readonly string[];
  description: string;
  operationId: string;
  parameters?: V3Parameter[];
  requestBody?: { content: V3Content; required?: boolean };
  responses: Record<string, { description: string; content?: V3Content }>;
  'x-kubernetes-action'?: string;
  'x-kubernetes-group-version-kind'?: GroupVersionKind;
}

export type V3PathItem = { parameters?: V3Parameter[] } & Partial<Record<Operation['method'], V3Operation>>;

export interface V3Head {
  openapi: '3.0.0';
  info: { title: string; version: string };
}

export const v3SecuritySchemes = {
  BearerToken: { type: 'apiKey', description: 'Bearer token', name: 'authorization', in: 'header' },
};
export const v3Security = [{ BearerToken: [] as string[] }];

const ref = (message: string): JsonSchema => ({ $ref: v3Dialect.refPrefix + definitionName(message) });
const resultSchema = (result: BodyType): JsonSchema => (result === 'text' ? { type: 'string' } : ref(result.message));
const contentOf = (mediaTypes: readonly string[], schema: JsonSchema): V3Content =>
  Object.fromEntries(mediaTypes.map((type) => [type, { schema }]));

export function v3PathItem(item: PathItem): V3PathItem {
  const rendered: V3PathItem = {};
  for (const operation of item.operations) rendered[operation.method] = renderOperation(operation);
  if (item.parameters.length > 0) rendered.parameters = item.parameters.map(renderParameter);
  return rendered;
}

function renderOperation(operation: Operation): V3Operation {
  const { body } = operation;
  const parameters = (operation.parameters ?? []).map(renderParameter);
  return {
    tags: [operation.tag],
    description: operation.description,
    operationId: operation.id,
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(body === undefined
      ? {}
      : {
          requestBody: {
            content: contentOf(operation.consumes, ref(body.message)),
            ...(body.required ? { required: true } : {}),
          },
        }),
    responses: responses(operation),
    ...(operation.action === undefined ? {} : { 'x-kubernetes-action': operation.action }),
    ...(operation.kind === undefined ? {} : { 'x-kubernetes-group-version-kind': operation.kind }),
  };
}

function responses(operation: Operation): V3Operation['responses'] {
  const content = contentOf(operation.produces, resultSchema(operation.result));
  const success = operation.codes.map((code) => [String(code), { description: successTexts[code]!, content }]);
  return Object.fromEntries([...success, ['401', { description: 'Unauthorized' }]]) as V3Operation['responses'];
}

function renderParameter(parameter: Parameter): V3Parameter {
  return {
    name: parameter.name,
    in: parameter.in,
    ...(parameter.description === undefined ? {} : { description: parameter.description }),
    ...(parameter.required ? { required: true } : {}),
    schema: { type: parameter.type, uniqueItems: true },
  };
}
