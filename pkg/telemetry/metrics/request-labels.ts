import type { AnyResource } from '../../api/resource-definition.ts';
import type { ResourceRegistry } from '../../api/resource-registry.ts';
import { groupOf, versionOf } from '../../api/scheme.ts';
import type { RequestInfo } from '../../server/request/request-info.ts';

/**
 * The labels of requests. All values come from the scheme or from closed lists: a client's text never becomes a label.
 */
export interface EndpointLabels {
  readonly [name: string]: string;
  readonly component: 'apiserver';
  readonly group: string;
  readonly resource: string;
  readonly scope: RequestScope;
  readonly subresource: string;
  readonly verb: string;
  readonly version: string;
}

/** `resource` for requests that name one object, or create one. */
export type RequestScope = 'namespace' | 'cluster' | 'resource' | '';

const verbLabels: ReadonlyMap<string, string> = new Map([
  ['get', 'GET'],
  ['list', 'LIST'],
  ['watch', 'WATCH'],
  ['create', 'POST'],
  ['update', 'PUT'],
  ['patch', 'PATCH'],
  ['delete', 'DELETE'],
  ['deletecollection', 'DELETECOLLECTION'],
  ['post', 'POST'],
  ['put', 'PUT'],
  ['head', 'GET'],
]);

/** Subresources that open a connection. */
const connectSubresources: ReadonlySet<string> = new Set(['attach', 'exec', 'log', 'portforward', 'proxy']);

/** Non-resource paths that are counted one by one, under `subresource` as stock servers do; all others together. */
const countedPaths: ReadonlySet<string> = new Set([
  '/healthz',
  '/livez',
  '/readyz',
  '/metrics',
  '/version',
  '/openapi/v2',
  '/openapi/v3',
]);

/**
 * Upper-case verb of the metrics; `other` for unknown methods. `contentType` distinguishes server-side apply from other
 * patches.
 */
export function verbLabel(info: RequestInfo, contentType: string | undefined): string {
  if (info.isResource && connectSubresources.has(info.subresource)) return 'CONNECT';
  if (info.verb === 'patch' && contentType?.startsWith('application/apply-patch+')) return 'APPLY';
  return verbLabels.get(info.verb) ?? 'other';
}

export function requestScope(info: RequestInfo): RequestScope {
  if (!info.isResource) return '';
  if (info.name !== '' || info.verb === 'create') return 'resource';
  return info.namespace !== '' ? 'namespace' : 'cluster';
}

interface KnownResource {
  readonly subresources: ReadonlySet<string>;
  /** Release without this version, `1.25`, where the version is deprecated. */
  readonly removedRelease: string | undefined;
}

/** Which resources exist, by group, version and name. */
export class KnownResources {
  private readonly byPath = new Map<string, KnownResource>();

  constructor(registry: ResourceRegistry) {
    for (const definition of registry.resources) this.add(definition);
    registry.listen(({ previous, definition }) => {
      for (const { groupVersion } of previous?.versions ?? []) this.byPath.delete(pathKey(groupVersion, previous!));
      if (definition !== undefined) this.add(definition);
    });
  }

  private add(definition: AnyResource): void {
    for (const version of definition.versions) {
      if (version.served === false) continue;
      const subresources = (definition.subresources ?? []).filter(
        (s) => s.groupVersions === undefined || s.groupVersions.includes(version.groupVersion),
      );
      this.byPath.set(pathKey(version.groupVersion, definition), {
        subresources: new Set(subresources.map((s) => s.name)),
        removedRelease: version.deprecation?.removedIn,
      });
    }
  }

  /**
   * Labels of a request, its resource left empty where it does not exist; with the release that removes its version.
   */
  labelsOf(info: RequestInfo, verb: string): { labels: EndpointLabels; removedRelease: string | undefined } {
    const known = info.isResource ? this.byPath.get(`${info.group}/${info.version}/${info.resource}`) : undefined;
    if (known === undefined || (info.subresource !== '' && !known.subresources.has(info.subresource))) {
      const path = info.isResource ? '' : countedPath(info.path);
      return {
        labels: { component: 'apiserver', group: '', resource: '', scope: '', subresource: path, verb, version: '' },
        removedRelease: undefined,
      };
    }
    const { group, version, resource, subresource } = info;
    return {
      labels: { component: 'apiserver', group, resource, scope: requestScope(info), subresource, verb, version },
      removedRelease: known.removedRelease,
    };
  }
}

const pathKey = (groupVersion: string, { resource }: AnyResource): string =>
  `${groupOf(groupVersion)}/${versionOf(groupVersion)}/${resource}`;

/** `/readyz` for `/readyz/etcd`; empty for paths that are not counted separately. */
export function countedPath(path: string): string {
  if (countedPaths.has(path)) return path;
  const second = path.indexOf('/', 1);
  if (second < 0) return '';
  const first = path.slice(0, second);
  if (countedPaths.has(first)) return first;
  return path.startsWith('/openapi/v3/') ? '/openapi/v3' : '';
}
