import { nodes, pods } from '../../api/core/tokens.ts';
import { genericServerResponse, notFound } from '../../apimachinery/errors/status-error.ts';
import type { ApiObject } from '../../apimachinery/meta/object.ts';
import { formatTime } from '../../apimachinery/values/time.ts';
import type { Node, Pod } from '../../generated/types/core-v1.ts';
import type { ContainerMetrics, NodeMetrics, PodMetrics } from '../../generated/types/metrics-v1beta1.ts';
import { listObjects } from '../../registry/read-objects.ts';
import type { StoreAccess } from '../../registry/store-access.ts';
import { parseListOptions } from '../request/request-options.ts';
import { parseSelection } from '../request/selectors.ts';
import { answerObject, negotiateForm } from '../verbs/answer-object.ts';
import { answerList } from '../verbs/list.ts';
import { transientObject } from '../verbs/transient-object.ts';
import type { KindHandler } from './subresource-handlers.ts';

/** What is known of the use of resources. */
export interface ResourceUsage {
  /** Of the containers of a pod that run; undefined: it is not measured. */
  ofPod(pod: Pod, node: Node): readonly ContainerMetrics[] | undefined;
  /** Of a node with these containers; undefined: it is not measured. */
  ofNode(node: Node, containers: readonly ContainerMetrics[]): Record<string, string> | undefined;
}

const WINDOW = '30s';
const GROUP = 'metrics.k8s.io';

/** GET of `pods.metrics.k8s.io`, one or those that a selector selects. */
export function handlePodMetrics(stores: StoreAccess, usage: ResourceUsage): KindHandler {
  return handleMetrics('pods', async ({ namespace, name }, selects) => {
    const nodesByName = await objectsByName(stores);
    const podStore = stores(pods);
    const scope = name === '' ? podStore.scopeOf(namespace) : podStore.keyOf(namespace, name);
    const { objects } = await listObjects(podStore, { scope, limit: 0 }, { kind: 'any' });
    return objects.flatMap((found): PodMetrics[] => {
      const pod = found.object();
      const node = nodesByName.get(pod.spec.nodeName ?? '');
      if (node === undefined || !selects(pod)) return [];
      const containers = usage.ofPod(pod, node);
      return containers === undefined ? [] : [{ ...head('PodMetrics', pod), containers: [...containers] }];
    });
  });
}

/** GET of `nodes.metrics.k8s.io`. What a node uses is what its pods do: they are all read for each request. */
export function handleNodeMetrics(stores: StoreAccess, usage: ResourceUsage): KindHandler {
  return handleMetrics('nodes', async ({ name }, selects) => {
    const byNode = new Map<string, ContainerMetrics[]>();
    const nodesByName = await objectsByName(stores);
    const podStore = stores(pods);
    const { objects } = await listObjects(podStore, { scope: podStore.scopeOf(''), limit: 0 }, { kind: 'any' });
    for (const found of objects) {
      const pod = found.object();
      const nodeName = pod.spec.nodeName ?? '';
      const node = nodesByName.get(nodeName);
      if (node === undefined || (name !== '' && nodeName !== name)) continue;
      const containers = byNode.get(nodeName) ?? [];
      containers.push(...(usage.ofPod(pod, node) ?? []));
      byNode.set(nodeName, containers);
    }
    return [...nodesByName.values()].flatMap((node): NodeMetrics[] => {
      const nodeName = node.metadata.name!;
      if ((name !== '' && nodeName !== name) || !selects(node)) return [];
      const used = usage.ofNode(node, byNode.get(nodeName) ?? []);
      return used === undefined ? [] : [{ ...head('NodeMetrics', node), usage: used }];
    });
  });
}

type Measure = (
  asked: { readonly namespace: string; readonly name: string },
  selects: (object: ApiObject) => boolean,
) => Promise<readonly ApiObject[]>;

function handleMetrics(resource: string, measure: Measure): KindHandler {
  return async (context, endpoint, parts) => {
    const negotiated = negotiateForm(context, endpoint);
    const { namespace, name, verb } = context.info;
    if (verb === 'get') {
      const [found] = await measure({ namespace, name }, () => true);
      if (found === undefined) throw notFound({ group: GROUP, resource }, name);
      return answerObject(context, 200, transientObject(found), negotiated);
    }
    if (verb !== 'list') throw genericServerResponse(405);
    const { labelSelector, fieldSelector } = parseListOptions(context.query, false);
    const { matches } = parseSelection(endpoint.target.definition, labelSelector, fieldSelector, '');
    const found = await measure({ namespace, name: '' }, (object) => matches?.(transientObject(object)) ?? true);
    await answerList(context, { revision: 0, objects: found.map(transientObject) }, {}, negotiated, parts);
  };
}

async function objectsByName(stores: StoreAccess): Promise<Map<string, Node>> {
  const store = stores(nodes);
  const { objects } = await listObjects(store, { scope: store.scopeOf(''), limit: 0 }, { kind: 'any' });
  return new Map(
    objects.map((found) => {
      const node = found.object();
      return [node.metadata.name!, node];
    }),
  );
}

function head(
  kind: string,
  { metadata: { name, namespace, labels } }: ApiObject,
): Pick<PodMetrics, 'kind' | 'apiVersion' | 'metadata' | 'timestamp' | 'window'> {
  const now = formatTime(new Date());
  return {
    kind,
    apiVersion: `${GROUP}/v1beta1`,
    metadata: {
      name,
      ...(namespace === undefined ? {} : { namespace }),
      ...(labels === undefined ? {} : { labels }),
      creationTimestamp: now,
    },
    timestamp: now,
    window: WINDOW,
  };
}
