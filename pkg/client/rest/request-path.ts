import type { Resource } from '../../api/resource.ts';
import type { ApiObject } from '../../apimachinery/meta/object.ts';
import type {
  CallOptions,
  DeleteOptions,
  ListOptions,
  ObjectName,
  PatchType,
  WatchOptions,
  WriteOptions,
} from './client.ts';

export const patchContentTypes: Readonly<Record<PatchType, string>> = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
};

/** Where a request goes: `/apis/apps/v1/namespaces/default/deployments`. */
export function collectionPath({ group, version, resource, namespaced }: Resource, namespace = ''): string {
  const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  return namespaced && namespace !== ''
    ? `${root}/namespaces/${encodeURIComponent(namespace)}/${resource}`
    : `${root}/${resource}`;
}

/**
 * The object's own path, or that of one of its subresources. Throws where there is no name: the path would be that of
 * all objects.
 */
export function objectPath(resource: Resource, { namespace, name }: ObjectName, subresource = ''): string {
  if (name === '') throw new TypeError(`a name is required for ${resource.resource}`);
  if (resource.namespaced && (namespace ?? '') === '')
    throw new TypeError(`a namespace is required for ${resource.resource}`);
  const path = `${collectionPath(resource, namespace)}/${encodeURIComponent(name)}`;
  return subresource === '' ? path : `${path}/${subresource}`;
}

/** Where a new object, or a document for one of its subresources, is sent. */
export function createPath(resource: Resource, { metadata }: ApiObject, options: WriteOptions): string {
  const { namespace = '', name = '' } = metadata;
  const { subresource = '' } = options;
  if (resource.namespaced && namespace === '') throw new TypeError(`a namespace is required for ${resource.resource}`);
  const path =
    subresource === '' ? collectionPath(resource, namespace) : objectPath(resource, { namespace, name }, subresource);
  return withQuery(path, writeParameters(options));
}

export function updatePath(resource: Resource, { metadata }: ApiObject, options: WriteOptions): string {
  const { namespace = '', name = '' } = metadata;
  return patchPath(resource, { namespace, name }, options);
}

export function patchPath(resource: Resource, name: ObjectName, options: WriteOptions): string {
  return withQuery(objectPath(resource, name, options.subresource), writeParameters(options));
}

/** Appends the parameters that have a value: absent, empty and false ones are left out. */
export function withQuery(
  path: string,
  parameters: Readonly<Record<string, string | number | boolean | undefined>>,
): string {
  let query = '';
  for (const [name, value] of Object.entries(parameters)) {
    if (value === undefined || value === '' || value === false) continue;
    query += `${query === '' ? '?' : '&'}${name}=${encodeURIComponent(value)}`;
  }
  return path + query;
}

export function listParameters(options: ListOptions): Record<string, string | number | undefined> {
  const { labelSelector, fieldSelector, limit, resourceVersion, resourceVersionMatch } = options;
  return { labelSelector, fieldSelector, limit, continue: options.continue, resourceVersion, resourceVersionMatch };
}

export function watchParameters(options: WatchOptions): Record<string, string | number | boolean | undefined> {
  const { labelSelector, fieldSelector, resourceVersion, allowWatchBookmarks, sendInitialEvents, timeoutSeconds } =
    options;
  return {
    watch: true,
    labelSelector,
    fieldSelector,
    resourceVersion,
    allowWatchBookmarks,
    sendInitialEvents,
    resourceVersionMatch: sendInitialEvents === true ? 'NotOlderThan' : undefined,
    timeoutSeconds,
  };
}

function writeParameters({ dryRun, fieldManager }: WriteOptions): Record<string, string | undefined> {
  return { dryRun: dryRun === true ? 'All' : undefined, fieldManager };
}

/** The body of a deletion. */
export function deleteDocument({ signal: _, dryRun, ...rest }: DeleteOptions & CallOptions): object {
  return { kind: 'DeleteOptions', apiVersion: 'v1', ...rest, ...(dryRun === true ? { dryRun: ['All'] } : {}) };
}
