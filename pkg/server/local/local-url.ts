import type { Resource } from '../../api/resource.ts';
import type { ListOptions, ObjectName, WatchOptions } from '../../client/rest/client.ts';

type Parameters = Readonly<Record<string, string | number | boolean | undefined>>;

/** `/apis/apps/v1/namespaces/default/deployments`. */
export function collectionPath({ group, version, resource, namespaced }: Resource, namespace = ''): string {
  const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  return namespaced && namespace !== ''
    ? `${root}/namespaces/${encodeURIComponent(namespace)}/${resource}`
    : `${root}/${resource}`;
}

/** Throws where there is no name: the path would be that of all objects. */
export function objectPath(resource: Resource, { namespace, name }: ObjectName, subresource = ''): string {
  if (name === '') throw new TypeError(`a name is required for ${resource.resource}`);
  if (resource.namespaced && (namespace ?? '') === '')
    throw new TypeError(`a namespace is required for ${resource.resource}`);
  const path = `${collectionPath(resource, namespace)}/${encodeURIComponent(name)}`;
  return subresource === '' ? path : `${path}/${subresource}`;
}

/** Appends the parameters that have a value: absent, empty and false ones are left out. */
export function withQuery(path: string, parameters: Parameters): string {
  let query = '';
  for (const [name, value] of Object.entries(parameters)) {
    if (value === undefined || value === '' || value === false) continue;
    query += `${query === '' ? '?' : '&'}${name}=${encodeURIComponent(value)}`;
  }
  return path + query;
}

export function listParameters(options: ListOptions): Parameters {
  const { labelSelector, fieldSelector, limit, resourceVersion, resourceVersionMatch } = options;
  return { labelSelector, fieldSelector, limit, continue: options.continue, resourceVersion, resourceVersionMatch };
}

export function watchParameters(options: WatchOptions): Parameters {
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
