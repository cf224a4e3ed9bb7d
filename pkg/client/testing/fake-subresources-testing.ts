import { buildScale, scaleReplicas } from '../../api/autoscaling/scale.ts';
import { type Resource, resourceKey } from '../../api/resource.ts';
import { notFound, successStatus } from '../../apimachinery/errors/status-error.ts';
import { deepCopy } from '../../apimachinery/json/deep.ts';
import type { ApiObject } from '../../apimachinery/meta/object.ts';
import { formatTime } from '../../apimachinery/values/time.ts';
import type { Scale } from '../../generated/types/autoscaling-v1.ts';
import type { TokenRequest } from '../../generated/types/authentication-v1.ts';
import type { Binding, Pod } from '../../generated/types/core-v1.ts';
import type { DeleteOptions, ObjectName } from '../rest/client.ts';
import type { FakeCluster } from './fake-cluster-testing.ts';
import { kindRules } from './kind-rules-testing.ts';

/** What subresources do to the objects above them. */
export interface ObjectVerbs {
  readonly cluster: FakeCluster;
  present<T extends ApiObject>(resource: Resource<T>, name: ObjectName): T;
  change<T extends ApiObject>(resource: Resource<T>, subresource: string, object: T): T;
  remove(resource: Resource, name: ObjectName, options: DeleteOptions): void;
}

/** Answers a call of a subresource with a body of its own; throws what a server answers. */
export type FakeSubresource = (verbs: ObjectVerbs, resource: Resource, name: ObjectName, body: unknown) => object;

/** By `pods/eviction`; `scale` is that of every kind that has one. */
export const fakeSubresources: Readonly<Record<string, FakeSubresource>> = {
  'pods/binding': bindPod,
  'pods/eviction': evictPod,
  'serviceaccounts/token': requestToken,
};

/** The Scale of an object; throws 404 where its kind has none. */
export function scaleOf(resource: Resource, object: ApiObject): Scale {
  const { scale } = kindRules(resource);
  if (scale === undefined) throw notFound(resource, `${object.metadata.name}/scale`);
  const complete = { spec: {}, status: {}, ...object };
  return buildScale(object.metadata, scale.get(complete), 'autoscaling/v1') as Scale;
}

/** Brings the replicas of a Scale into its object. */
export function updateScale(verbs: ObjectVerbs, resource: Resource, name: ObjectName, wanted: Scale): Scale {
  const object = deepCopy({ spec: {}, ...verbs.present(resource, name) });
  scaleOf(resource, object);
  kindRules(resource).scale!.set(object, scaleReplicas(wanted));
  const { resourceVersion = '' } = wanted.metadata;
  if (resourceVersion !== '') object.metadata.resourceVersion = resourceVersion;
  return scaleOf(resource, verbs.change(resource, '', object));
}

function bindPod(verbs: ObjectVerbs, resource: Resource, name: ObjectName, body: unknown): object {
  const { target } = body as Binding;
  const pod = deepCopy(verbs.present(resource as Resource<Pod>, name));
  pod.spec = { ...pod.spec, nodeName: target.name! };
  const lastTransitionTime = verbs.cluster.now;
  const conditions = pod.status?.conditions?.filter(({ type }) => type !== 'PodScheduled') ?? [];
  pod.status = {
    ...pod.status,
    conditions: [...conditions, { type: 'PodScheduled', status: 'True', lastProbeTime: null, lastTransitionTime }],
  };
  verbs.cluster.commit(resource, pod);
  return successStatus();
}

/** As a server without disruption budgets: `before` of the client may refuse. */
function evictPod(verbs: ObjectVerbs, resource: Resource, name: ObjectName, body: unknown): object {
  const { deleteOptions = {} } = body as { deleteOptions?: DeleteOptions };
  verbs.remove(resource, name, deleteOptions);
  return successStatus();
}

function requestToken(verbs: ObjectVerbs, resource: Resource, name: ObjectName, body: unknown): object {
  verbs.present(resource, name);
  const { spec } = body as TokenRequest;
  const expiresMs = verbs.cluster.clock.wallMs() + (spec.expirationSeconds ?? 3600) * 1000;
  const token = `token-of-${name.namespace}-${name.name}-${verbs.cluster.nextUid()}`;
  return { ...(body as object), status: { token, expirationTimestamp: formatTime(new Date(expiresMs)) } };
}

export function subresourceKey(resource: Resource, subresource: string): string {
  return `${resourceKey(resource)}/${subresource}`;
}
