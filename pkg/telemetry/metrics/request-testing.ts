import type { AnyResource } from '../../api/resource-definition.ts';
import { HttpExchange } from '../../server/request/http-exchange.ts';
import { RequestContext, type RawRequest, type RawResponse } from '../../server/request/request-context.ts';
import { parseRequestInfo } from '../../server/request/request-info.ts';

const shape = { validateName: () => [], namespaced: true } as const;

/** A few resources: two versions with one deprecated, subresources, a review, a path of two segments. */
export const sampleResources: readonly AnyResource[] = [
  {
    ...shape,
    group: '',
    resource: 'pods',
    kind: 'Pod',
    singular: 'pod',
    hub: 'v1',
    storageVersion: 'v1',
    storagePath: 'pods',
    versions: [{ groupVersion: 'v1', message: 'core/v1.Pod' }],
    subresources: ['status', 'log', 'exec', 'eviction'].map((name) => ({
      name,
      verbs: ['get', 'create', 'update', 'patch'],
    })),
  },
  {
    ...shape,
    group: 'apps',
    resource: 'deployments',
    kind: 'Deployment',
    singular: 'deployment',
    hub: 'apps/v1',
    storageVersion: 'apps/v1',
    storagePath: 'deployments',
    versions: [
      { groupVersion: 'apps/v1', message: 'apps/v1.Deployment' },
      {
        groupVersion: 'apps/v1beta1',
        message: 'apps/v1beta1.Deployment',
        deprecation: { deprecatedIn: '1.8', removedIn: '1.16', replacement: 'apps/v1' },
      },
      { groupVersion: 'apps/v1alpha9', message: 'apps/v1.Deployment', served: false },
    ],
  },
  {
    ...shape,
    group: '',
    resource: 'services',
    kind: 'Service',
    singular: 'service',
    hub: 'v1',
    storageVersion: 'v1',
    storagePath: 'services/specs',
    versions: [{ groupVersion: 'v1', message: 'core/v1.Service' }],
  },
  {
    ...shape,
    group: 'authorization.k8s.io',
    resource: 'subjectaccessreviews',
    kind: 'SubjectAccessReview',
    singular: '',
    namespaced: false,
    virtual: true,
    hub: 'authorization.k8s.io/v1',
    storageVersion: 'authorization.k8s.io/v1',
    storagePath: '',
    versions: [{ groupVersion: 'authorization.k8s.io/v1', message: 'authorization/v1.SubjectAccessReview' }],
  },
];

/** A request as the server sees it, before any filter. */
export function contextOf(method: string, url: string, headers: Record<string, string> = {}): RequestContext {
  const [path = '', query = ''] = url.split('?');
  const info = parseRequestInfo(method, path, /(^|&)watch=(1|true)/.test(query));
  return new RequestContext(
    new HttpExchange({ method, url, headers } as unknown as RawRequest, {} as RawResponse),
    info,
    query,
    {},
    '0a1b2c3d',
    0,
  );
}

/** The lines of `name`'s samples. */
export function linesOf(text: string, name: string): string[] {
  return text.split('\n').filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `));
}

/** The value of the one sample of `name` that has all `labels`; undefined when there is none. */
export function sampleOf(text: string, name: string, labels: Record<string, string> = {}): number | undefined {
  const found = linesOf(text, name).filter((line) =>
    Object.entries(labels).every(([label, value]) => line.includes(`${label}="${value}"`)),
  );
  if (found.length > 1) throw new Error(`${found.length} samples of ${name} match`);
  return found[0] === undefined ? undefined : Number(found[0].slice(found[0].lastIndexOf(' ') + 1));
}
