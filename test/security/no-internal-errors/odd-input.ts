import { sampleNames, sampleNamespace, sampleObject, sampleObjects } from '../../fixtures/sample-objects.ts';
import type { ApiDescription, Operation, Schema } from './operations.ts';

/** Odd requests for an operation: each is what a client could send by mistake or on purpose. */

/** What is written there takes part in, or takes away, other requests: it is only tried. */
const triedOnly =
  /^\/apis\/(admissionregistration\.k8s\.io|apiregistration\.k8s\.io|flowcontrol\.apiserver\.k8s\.io)\/|\/(servicecidrs|ipaddresses)(\/|$)|^\/api\/v1\/namespaces(\/\{name\}(\/finalize|\/status)?)?$/;

const depthMax = 7;
const text = [
  'null',
  '-1',
  'abc',
  '',
  '0',
  '1',
  '1.5',
  '1e999',
  '0x10',
  '9'.repeat(40),
  '-9223372036854775809',
  'true',
  'false',
  '[]',
  '{}',
  ' ',
  '\u0000',
  'é',
  '😀',
  '\ud800',
  '__proto__',
  'constructor',
  '../..',
  'a,b',
  'a=b',
  '!a',
  'a in (b',
  'metadata.name=x',
  'metadata.name!=',
  '%',
  '"',
  '*',
  'Background',
  'Strict',
  'All',
  'x'.repeat(300),
];
const names = ['odd', 'Odd_', 'a'.repeat(300), '%00', '..', 'é', '__proto__', 'system:odd', '0'];
const accepts = [
  'application/json',
  'application/vnd.kubernetes.protobuf',
  'application/yaml',
  'application/json;as=Table;v=v1;g=meta.k8s.io',
  'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io',
  'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io',
  'application/vnd.kubernetes.protobuf;as=Table;v=v1;g=meta.k8s.io',
  'application/json;as=Nonsense;v=v9;g=x',
  'application/json;stream=watch',
  '*/*',
  'text/html',
  '',
  ';;;,,,',
  'application/json;q=abc',
];
const contentTypes = [
  'application/json',
  'application/yaml',
  'application/vnd.kubernetes.protobuf',
  'application/json-patch+json',
  'application/merge-patch+json',
  'application/strategic-merge-patch+json',
  'application/apply-patch+yaml',
  'text/plain',
  '',
  'application/json; charset=utf-16',
  ';',
  'multipart/form-data',
];
const oddValues = [
  null,
  0,
  '',
  [],
  {},
  true,
  -1,
  'x',
  2 ** 31,
  1.5,
  [null],
  [{}],
  { a: null },
  'x'.repeat(300),
  '\u0000',
  ' ',
  '-',
  '1Gi',
  '100%',
  '::1',
];
const bodies = [
  '',
  'null',
  '[]',
  '{}',
  '1',
  '"x"',
  'true',
  '{',
  '[{}]',
  '{"metadata":null}',
  '{"metadata":[]}',
  '{"metadata":{"name":1}}',
  '{"metadata":{"name":null,"labels":{"a":1}}}',
  '{"spec":null}',
  '{"spec":[]}',
  '{"spec":{"template":null}}',
  '{"status":1}',
  '{"items":{}}',
  '{"kind":"List","apiVersion":"v1","items":[null]}',
  '{"kind":5,"apiVersion":[]}',
  '{"__proto__":{"a":1},"constructor":null}',
  '{"metadata":{"finalizers":[null],"ownerReferences":[null,{}],"managedFields":[null,{"fieldsV1":1}]}}',
  '- op: add',
  'a: &a [*a]',
  '\u0000',
  'k8s\u0000',
  'k8s\u0000\n\u0005',
  '[{"op":"add","path":"/metadata/labels","value":null}]',
  '[{"op":"replace","path":"/spec","value":[]}]',
  '[{"op":"remove","path":""}]',
  '[{"op":"test","path":"/a/b/c"}]',
  '[{"op":"move","from":"/metadata","path":"/metadata/name"}]',
  '{"$patch":"replace"}',
  '{"$patch":5}',
  '{"spec":{"$retainKeys":[1]}}',
  '{"metadata":{"$setElementOrder/finalizers":[{}]}}',
];

export interface OddRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | undefined;
}

export class OddInput {
  readonly #api: ApiDescription;
  readonly #random: () => number;

  /** `random`: from 0 to 1, for instance of a seed. */
  constructor(api: ApiDescription, random: () => number) {
    this.#api = api;
    this.#random = random;
  }

  requestFor(described: Operation): OddRequest {
    const operation = this.#chance(0.95)
      ? described
      : {
          ...described,
          method: this.#one(['GET', 'HEAD', 'PUT', 'POST', 'DELETE', 'PATCH', 'OPTIONS', 'TRACE', 'PROPFIND']),
        };
    const hasBody = operation.method !== 'GET' && operation.method !== 'HEAD' && this.#chance(0.9);
    const headers: Record<string, string> = { accept: this.#chance(0.8) ? 'application/json' : this.#one(accepts) };
    if (hasBody) headers['content-type'] = this.#chance(0.85) ? usualType(operation.method) : this.#one(contentTypes);
    return {
      method: operation.method,
      path: `${this.#pathOf(operation)}${this.#query(operation)}`,
      headers,
      body: hasBody ? Buffer.from(this.#body(operation)) : undefined,
    };
  }

  #pathOf(operation: Operation): string {
    return operation.path.replaceAll(/\{(\w+)\}/g, (_, what: string) => {
      if (what === 'namespace') return this.#chance(0.9) ? sampleNamespace : 'nowhere';
      return encodeURIComponent(
        this.#chance(0.8) ? sampleNames(operation.group, resourceOf(operation)).name : this.#one(names),
      );
    });
  }

  #query({ parameters, path, method }: Operation): string {
    const query: string[] = method !== 'GET' && triedOnly.test(path) ? ['dryRun=All'] : [];
    if (this.#chance(0.7)) return query.length === 0 ? '' : `?${query.join()}`;
    for (const name of parameters) {
      if (name === 'dryRun' && query.length > 0) continue;
      // Streams have no end, and what is only tried changes nothing.
      const times = this.#chance(name === 'watch' || name === 'follow' ? 0.05 : 0.3) ? (this.#chance(0.1) ? 2 : 1) : 0;
      for (let i = 0; i < times; i++) query.push(`${name}=${percentEncoded(this.#one(text))}`);
    }
    if (this.#chance(0.05)) query.push(percentEncoded(this.#one(text)));
    return query.length === 0 ? '' : `?${query.join('&')}`;
  }

  #body(operation: Operation): string {
    const schema = this.#api.definitions.get(operation.body);
    const resource = resourceOf(operation);
    if (Object.hasOwn(sampleObjects, `${operation.group}/${resource}`) && this.#chance(0.5)) {
      const changes = Math.floor(this.#random() * 4);
      let sample: unknown = { ...sampleObject(operation.group, resource), apiVersion: apiVersionOf(operation) };
      for (let i = 0; i < changes; i++) sample = this.#changed(sample);
      return JSON.stringify(sample);
    }
    if (this.#chance(0.3) || (schema === undefined && operation.method !== 'PATCH')) return this.#one(bodies);
    const definition = schema ?? this.#definitionOf(operation);
    const object = definition === undefined ? {} : this.#value(definition, 0);
    if (typeof object !== 'object' || object === null || Array.isArray(object)) return JSON.stringify(object);
    const header =
      this.#chance(0.95) && operation.kind !== '' ? { apiVersion: apiVersionOf(operation), kind: operation.kind } : {};
    const metadata = {
      ...(object as { metadata?: object }).metadata,
      ...(this.#chance(0.9) && { name: 'odd', namespace: undefined, resourceVersion: undefined, uid: undefined }),
    };
    return JSON.stringify({ ...object, ...header, metadata });
  }

  /** With something else in one place, or without it. */
  #changed(value: unknown): unknown {
    if (typeof value !== 'object' || value === null || this.#chance(0.1)) return this.#one(oddValues);
    if (Array.isArray(value)) {
      if (value.length === 0 || this.#chance(0.1)) return [...value, this.#one([...value, ...oddValues])];
      return value.with(Math.floor(this.#random() * value.length), this.#changed(this.#one(value)));
    }
    const entries = Object.entries(value);
    if (entries.length === 0 || this.#chance(0.1))
      return { ...value, [this.#one(['x', '__proto__', 'name', 'é', ''])]: this.#one(oddValues) };
    const [key] = this.#one(entries);
    return Object.fromEntries(
      entries.flatMap(([name, item]) =>
        name !== key ? [[name, item]] : this.#chance(0.1) ? [] : [[name, this.#changed(item)]],
      ),
    );
  }

  #definitionOf({ group, version, kind }: Operation): Schema | undefined {
    const wanted = this.#api.operations.find(
      (other) => other.method === 'POST' && other.group === group && other.version === version && other.kind === kind,
    );
    return wanted && this.#api.definitions.get(wanted.body);
  }

  /** Of the type that the schema wants, mostly. */
  #value(schema: Schema, depth: number): unknown {
    if (this.#chance(0.01)) return this.#one(oddValues);
    if (schema.$ref !== undefined) {
      const definition = this.#api.definitions.get(schema.$ref.replace('#/definitions/', ''));
      return definition === undefined ? {} : this.#value(definition, depth);
    }
    if (schema.properties !== undefined) return depth > depthMax ? {} : this.#object(schema.properties, depth);
    if (schema.additionalProperties !== undefined)
      return depth > depthMax
        ? {}
        : Object.fromEntries(
            this.#some(2).map(() => [
              this.#one(['a', 'b/c', '', 'é', 'x'.repeat(80)]),
              this.#value(schema.additionalProperties!, depth + 1),
            ]),
          );
    if (schema.enum !== undefined && this.#chance(0.8)) return this.#one(schema.enum);
    switch (schema.type) {
      case 'array':
        return depth > depthMax ? [] : this.#some(2).map(() => this.#value(schema.items ?? {}, depth + 1));
      case 'integer':
        return this.#one([0, 1, 2, 80, -1, 65536, 2 ** 31 - 1, 2 ** 31, -(2 ** 31)]);
      case 'number':
        return this.#one([0, 1.5, -1, 1e300]);
      case 'boolean':
        return this.#chance(0.5);
      case 'object':
        return {};
      case 'string':
        return this.#text(schema.format);
      default:
        return this.#one(['1', 1, '10%', {}, '1Gi']);
    }
  }

  #text(format: string | undefined): string {
    if (format === 'date-time')
      return this.#one(['2020-01-01T00:00:00Z', '', '9999-12-31T23:59:59Z', '0000-00-00T00:00:00Z', 'now']);
    if (format === 'byte') return this.#one(['YQ==', '', '!', 'YQ']);
    return this.#one([
      'odd',
      '',
      'a',
      'A_b',
      '1',
      '-1',
      '10%',
      '1Gi',
      '10.0.0.1',
      '::1',
      '10.0.0.0/8',
      'a/b',
      'TCP',
      'Always',
      'ClusterIP',
      'metadata.name',
      'true',
      'é',
      '*',
      '@every 1m',
      '*/5 * * * *',
      '$(A)',
      '/x',
      'http://x/',
      'x'.repeat(70),
      '\u0000',
      'self.a',
    ]);
  }

  #object(properties: Readonly<Record<string, Schema>>, depth: number): object {
    const all = Object.entries(properties);
    const share = depth < 2 ? 0.7 : Math.min(0.5, 6 / all.length);
    return Object.fromEntries(
      all.filter(() => this.#chance(share)).map(([name, schema]) => [name, this.#value(schema, depth + 1)]),
    );
  }

  #some(max: number): readonly undefined[] {
    return Array.from({ length: Math.floor(this.#random() * (max + 1)) }, () => undefined);
  }

  #one<T>(choices: readonly T[]): T {
    return choices[Math.floor(this.#random() * choices.length)]!;
  }

  #chance(share: number): boolean {
    return this.#random() < share;
  }
}

function apiVersionOf({ group, version }: Operation): string {
  return group === '' ? version : `${group}/${version}`;
}

/** `pods` of whatever is done with pods. */
function resourceOf({ path }: Operation): string {
  return /^\/(?:api|apis\/[^/]+)\/[^/]+\/(?:namespaces\/\{namespace\}\/)?([^/{]+)/.exec(path)?.[1] ?? '';
}

function usualType(method: string): string {
  return method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
}

/** Also of half a surrogate pair, whose bytes are not UTF-8. */
function percentEncoded(value: string): string {
  return value.isWellFormed() ? encodeURIComponent(value) : '%ed%a0%80';
}
