import type { ApiClient } from '../../fixtures/api-client.ts';

/** Every operation that the server's own OpenAPI document names. */

export interface Operation {
  readonly method: string;
  /** With `{name}` and such. */
  readonly path: string;
  /** Names of its query parameters. */
  readonly parameters: readonly string[];
  /** Name of the definition of its body; empty: none, or of any kind. */
  readonly body: string;
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

export interface Schema {
  readonly type?: string;
  readonly $ref?: string;
  readonly format?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema;
  readonly items?: Schema;
  readonly enum?: readonly string[];
}

export interface ApiDescription {
  readonly operations: readonly Operation[];
  readonly definitions: ReadonlyMap<string, Schema>;
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly schema?: Schema;
}

interface Described {
  readonly parameters?: readonly Parameter[];
  readonly 'x-kubernetes-group-version-kind'?: {
    readonly group: string;
    readonly version: string;
    readonly kind: string;
  };
}

const methods = ['get', 'put', 'post', 'delete', 'patch', 'options', 'head'] as const;

export async function describeApi(client: ApiClient): Promise<ApiDescription> {
  const { json } = await client.get('/openapi/v2', { accept: 'application/json' });
  const document = json as {
    paths: Record<string, Described & Record<string, Described>>;
    definitions: Record<string, Schema>;
  };
  const operations = Object.entries(document.paths).flatMap(([path, item]) =>
    methods.flatMap((method): Operation[] => {
      const described = item[method];
      if (described === undefined) return [];
      const parameters = [...(item.parameters ?? []), ...(described.parameters ?? [])];
      const body = parameters.find((parameter) => parameter.in === 'body')?.schema?.$ref ?? '';
      const of = described['x-kubernetes-group-version-kind'] ?? { group: '', version: '', kind: '' };
      return [
        {
          method: method.toUpperCase(),
          path,
          parameters: parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => name),
          body: body.replace('#/definitions/', ''),
          ...of,
        },
      ];
    }),
  );
  return { operations, definitions: new Map(Object.entries(document.definitions)) };
}
