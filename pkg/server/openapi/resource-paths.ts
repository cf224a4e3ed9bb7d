import type { Verb } from '../../api/resource-definition.ts';
import { hasSchema } from '../../codec/schemas.ts';
import type { ServedResource } from '../documents/served-resources.ts';
import { anyType, type Operation, type Parameter, type PathItem } from './operation.ts';
import type { ParameterSets } from './parameters.ts';
import { contextOf, type ResourceContext } from './resource-context.ts';
import { subresourcePaths } from './subresource-paths.ts';

/** All paths of a resource in one version: collection, item, subresources, and the older paths that watch. */
export function resourcePaths(
  resource: ServedResource,
  sets: ParameterSets,
  options: (message: string) => readonly Parameter[],
): PathItem[] {
  const context = contextOf(resource, sets);
  const { root } = context;
  const can = (...verbs: Verb[]): boolean => verbs.some((v) => resource.verbs.includes(v));
  const scope = resource.namespaced ? [sets.namespace] : [];
  const collection = `${root}${resource.namespaced ? '/namespaces/{namespace}' : ''}/${resource.resource}`;
  const item = `${collection}/{name}`;
  const everywhere = `${root}/${resource.resource}`;
  const items: PathItem[] = [];
  const add = (path: string, parameters: readonly Parameter[], operations: readonly (Operation | false)[]): void => {
    const present = operations.filter((o) => o !== false);
    if (present.length > 0) items.push({ path, parameters, operations: present });
  };
  add(
    collection,
    [...scope, sets.pretty],
    [
      can('list') && list(context, ''),
      can('create') && create(context),
      can('deletecollection') && removeCollection(context),
    ],
  );
  add(
    item,
    [sets.name(resource.kind), ...scope, sets.pretty],
    [
      can('get') && read(context),
      can('update') && replace(context),
      can('patch') && patch(context),
      can('delete') && remove(context),
    ],
  );
  if (resource.namespaced && can('list'))
    add(everywhere, [...sets.list, sets.pretty], [{ ...list(context, 'ForAllNamespaces'), parameters: [] }]);
  for (const sub of resource.subresources) items.push(...subresourcePaths(context, sub, item, options));
  if (can('watch')) items.push(...watchPaths(context, scope, can('list'), can('get')));
  return items;
}

/** The message of the list, or of the object where a resource has no lists. */
function listMessage(resource: ServedResource): string {
  const message = `${resource.message}List`;
  return hasSchema(message) || (resource.schema !== undefined && Object.hasOwn(resource.schema, message))
    ? message
    : resource.message;
}

const base = ({ tag, kind }: ResourceContext): Pick<Operation, 'kind' | 'tag'> => ({ tag, kind });

function list(context: ResourceContext, suffix: string): Operation {
  const { resource, title, subject, sets, media } = context;
  return {
    ...base(context),
    method: 'get',
    action: 'list',
    description: `List or watch objects of kind ${resource.kind}.`,
    id: `list${title}${suffix === '' ? subject : resource.kind + suffix}`,
    parameters: sets.list,
    consumes: anyType,
    produces: media.lists,
    codes: [200],
    result: { message: listMessage(resource) },
  };
}

function create(context: ResourceContext): Operation {
  const { resource, title, subject, sets, media } = context;
  return {
    ...base(context),
    method: 'post',
    action: 'post',
    description: `Create an object of kind ${resource.kind}.`,
    id: `create${title}${subject}`,
    parameters: sets.create,
    body: { message: resource.message, required: true },
    consumes: anyType,
    produces: media.objects,
    codes: [200, 201, 202],
    result: { message: resource.message },
  };
}

function removeCollection(context: ResourceContext): Operation {
  const { resource, title, subject, sets, media } = context;
  return {
    ...base(context),
    method: 'delete',
    action: 'deletecollection',
    description: `Delete all selected objects of kind ${resource.kind}.`,
    id: `delete${title}Collection${subject}`,
    parameters: [...sets.list, ...sets.remove],
    body: { message: 'meta/v1.DeleteOptions', required: false },
    consumes: anyType,
    produces: media.objects,
    codes: [200],
    result: { message: 'meta/v1.Status' },
  };
}

function read(context: ResourceContext): Operation {
  const { resource, title, subject, sets, media } = context;
  return {
    ...base(context),
    method: 'get',
    action: 'get',
    description: `Read one object of kind ${resource.kind}.`,
    id: `read${title}${subject}`,
    parameters: sets.read,
    consumes: anyType,
    produces: media.objects,
    codes: [200],
    result: { message: resource.message },
  };
}

function replace(context: ResourceContext): Operation {
  const { resource, title, subject, sets, media } = context;
  return {
    ...base(context),
    method: 'put',
    action: 'put',
    description: `Replace an object of kind ${resource.kind}.`,
    id: `replace${title}${subject}`,
    parameters: sets.update,
    body: { message: resource.message, required: true },
    consumes: anyType,
    produces: media.objects,
    codes: [200, 201],
    result: { message: resource.message },
  };
}

function patch(context: ResourceContext): Operation {
  const { resource, title, subject, sets, media } = context;
  return {
    ...base(context),
    method: 'patch',
    action: 'patch',
    description: `Change parts of an object of kind ${resource.kind}.`,
    id: `patch${title}${subject}`,
    parameters: sets.patch,
    body: { message: 'meta/v1.Patch', required: true },
    consumes: media.patches,
    produces: media.objects,
    codes: [200, 201],
    result: { message: resource.message },
  };
}

function remove(context: ResourceContext): Operation {
  const { resource, title, subject, sets, media } = context;
  return {
    ...base(context),
    method: 'delete',
    action: 'delete',
    description: `Delete an object of kind ${resource.kind}.`,
    id: `delete${title}${subject}`,
    parameters: sets.remove,
    body: { message: 'meta/v1.DeleteOptions', required: false },
    consumes: anyType,
    produces: media.objects,
    codes: [200, 202],
    result: { message: 'meta/v1.Status' },
  };
}

function watchPaths(
  context: ResourceContext,
  scope: readonly Parameter[],
  hasList: boolean,
  hasItem: boolean,
): PathItem[] {
  const { resource, title, subject, sets, media, root } = context;
  const prefix = `${root}/watch${resource.namespaced ? '/namespaces/{namespace}' : ''}/${resource.resource}`;
  const path = (at: string, action: string, id: string, more: readonly Parameter[]): PathItem => ({
    path: at,
    parameters: [...more, ...sets.list, sets.pretty],
    operations: [
      {
        ...base(context),
        method: 'get',
        action,
        id: `watch${title}${id}`,
        description: `Old: watch ${action === 'watch' ? 'one object' : 'objects'} of kind ${resource.kind}. Use the parameter "watch" on a list instead.`,
        consumes: anyType,
        produces: media.lists,
        codes: [200],
        result: { message: 'meta/v1.WatchEvent' },
      },
    ],
  });
  return [
    ...(hasList ? [path(prefix, 'watchlist', `${subject}List`, scope)] : []),
    ...(hasItem ? [path(`${prefix}/{name}`, 'watch', subject, [sets.name(resource.kind), ...scope])] : []),
    ...(hasList && resource.namespaced
      ? [path(`${root}/watch/${resource.resource}`, 'watchlist', `${resource.kind}ListForAllNamespaces`, [])]
      : []),
  ];
}
