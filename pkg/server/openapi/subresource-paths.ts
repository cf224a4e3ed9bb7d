import type { Verb } from '../../api/resource-definition.ts';
import { messageOfKind } from '../../codec/messages.ts';
import type { ServedSubresource } from '../documents/served-resources.ts';
import { anyType, type Operation, type Parameter, type PathItem } from './operation.ts';
import { pathBelow } from './parameters.ts';
import type { ResourceContext } from './resource-context.ts';
import { title } from './type-names.ts';

/** Subresources whose answer is text, with the type of their query. */
const textResults: ReadonlyMap<string, string> = new Map([['pods/log', 'core/v1.PodLogOptions']]);

/**
 * The paths of a subresource of the object at `item`. `options` gives the query parameters that a message stands for.
 */
export function subresourcePaths(
  context: ResourceContext,
  sub: ServedSubresource,
  item: string,
  options: (message: string) => readonly Parameter[],
): PathItem[] {
  const { resource, sets } = context;
  const message =
    messageOfKind(sub.group === '' ? sub.version : `${sub.group}/${sub.version}`, sub.kind)?.message ??
    resource.message;
  const scope = [sets.name(sub.kind), ...(resource.namespaced ? [sets.namespace] : [])];
  const path = `${item}/${sub.name}`;
  if (sub.kind.endsWith('Options')) return connectPaths(context, sub, path, [...scope, ...options(message)]);
  const operations = sub.verbs.flatMap((verb) => operation(context, sub, verb, message));
  const query = textResults.get(`${resource.resource}/${sub.name}`);
  return [{ path, parameters: [...scope, ...(query === undefined ? [] : options(query)), sets.pretty], operations }];
}

function operation(context: ResourceContext, sub: ServedSubresource, verb: Verb, message: string): Operation[] {
  const { resource, title: version, subject, sets, tag, media } = context;
  const id = `${version}${subject}${title(sub.name)}`;
  const shared = {
    tag,
    kind: { group: sub.group, kind: sub.kind, version: sub.version },
    consumes: anyType,
    produces: media.objects,
    result: { message },
  };
  const about = `${sub.name} of an object of kind ${resource.kind}.`;
  const body = { message, required: true };
  switch (verb) {
    case 'get': {
      const isText = textResults.has(`${resource.resource}/${sub.name}`);
      const answer = isText ? { produces: ['text/plain', ...media.objects], result: 'text' as const } : {};
      return [
        {
          ...shared,
          method: 'get',
          action: 'get',
          id: `read${id}`,
          description: `Read ${about}`,
          codes: [200],
          ...answer,
        },
      ];
    }
    case 'update':
      return [
        {
          ...shared,
          method: 'put',
          action: 'put',
          id: `replace${id}`,
          description: `Replace ${about}`,
          parameters: sets.update,
          body,
          codes: [200, 201],
        },
      ];
    case 'create':
      return [
        {
          ...shared,
          method: 'post',
          action: 'post',
          id: `create${id}`,
          description: `Create ${about}`,
          parameters: sets.create,
          body,
          codes: [200, 201, 202],
        },
      ];
    case 'patch':
      return [
        {
          ...shared,
          method: 'patch',
          action: 'patch',
          id: `patch${id}`,
          description: `Change parts of ${about}`,
          parameters: sets.patch,
          body: { message: 'meta/v1.Patch', required: true },
          consumes: media.patches,
          codes: [200, 201],
        },
      ];
    case 'delete':
      return [
        {
          ...shared,
          method: 'delete',
          action: 'delete',
          id: `delete${id}`,
          description: `Delete ${about}`,
          parameters: sets.remove,
          body: { message: 'meta/v1.DeleteOptions', required: false },
          result: { message: 'meta/v1.Status' },
          codes: [200, 202],
        },
      ];
    case 'list':
    case 'watch':
    case 'deletecollection':
      return [];
  }
}

const connectMethods: Readonly<Partial<Record<Verb, Operation['method']>>> = {
  get: 'get',
  create: 'post',
  update: 'put',
  patch: 'patch',
  delete: 'delete',
};

/** Streams and proxies: the query is the options, and the content of the connection is not described. */
function connectPaths(
  context: ResourceContext,
  sub: ServedSubresource,
  path: string,
  parameters: readonly Parameter[],
): PathItem[] {
  const isProxy = sub.name === 'proxy';
  const methods = sub.verbs.flatMap((verb) => connectMethods[verb] ?? []);
  if (isProxy) methods.push('head', 'options');
  const operations = (suffix: string): Operation[] =>
    methods.map((method) => ({
      method,
      action: 'connect',
      tag: context.tag,
      kind: { group: sub.group, kind: sub.kind, version: sub.version },
      id: `connect${context.title}${title(method)}${context.subject}${title(sub.name)}${suffix}`,
      description: `Connect ${method.toUpperCase()} requests to ${sub.name} of an object of kind ${context.resource.kind}.`,
      consumes: anyType,
      produces: anyType,
      codes: [200],
      result: 'text',
    }));
  return [
    { path, parameters, operations: operations('') },
    ...(isProxy
      ? [
          {
            path: `${path}/{path}`,
            parameters: [...parameters.filter((p) => p.name !== 'path'), pathBelow],
            operations: operations('WithPath'),
          },
        ]
      : []),
  ];
}
