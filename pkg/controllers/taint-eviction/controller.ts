import { nodes, pods } from '../../api/core/tokens.ts';
import { keyOf } from '../../client/informer/object-key.ts';
import { deepEqual } from '../../apimachinery/json/deep.ts';
import { formatTime } from '../../apimachinery/values/time.ts';
import type { Node, Pod } from '../../generated/types/core-v1.ts';
import type { ControllerContext } from '../controller-context.ts';
import type { ControllerDescriptor } from '../controller-descriptor.ts';
import type { Controller } from '../controller.ts';
import { evictPod } from '../owned/evict-pod.ts';
import { evictionMetrics } from '../owned/eviction-metrics.ts';
import { PodsByNode } from '../owned/pod-indexes.ts';
import { QueueController } from '../queue-controller.ts';
import { evictingTaints } from './eviction-delay.ts';
import { Evictions } from './reconcile.ts';

const NAME = 'taint-eviction-controller';
const WORKERS = 8;
const REASON = { reason: 'DeletionByTaintManager', message: 'Taint manager: deleting due to NoExecute taint' };

/** It acts as the account of the controller that sets most taints. */
export const taintEvictionController: ControllerDescriptor = {
  name: NAME,
  account: 'node-controller',
  resources: [nodes, pods],
  create: (context, { nodeLifecycle }) => (nodeLifecycle.taintManager ? evictionController(context) : undefined),
};

/** Deletes the pods of nodes with NoExecute taints that they do not tolerate, or no longer. */
function evictionController(context: ControllerContext): Controller {
  const { client, informers, clock } = context;
  const nodeInformer = informers.informer(nodes);
  const podInformer = informers.informer(pods);
  const podsByNode = new PodsByNode(podInformer);
  const recorder = context.recorder(NAME);
  const metrics = evictionMetrics(context.metrics, 'taint_eviction_controller');
  /** Nodes with such a taint, so that the pods of all others cost nothing. */
  const tainted = new Set<string>();

  const event = (pod: Pod | undefined, namespace: string, name: string, note: string): void =>
    recorder.event(
      { apiVersion: 'v1', kind: 'Pod', namespace, name, uid: pod?.metadata.uid },
      { type: 'Normal', reason: 'TaintManagerEviction', note: `${note} Pod ${namespace}/${name}` },
    );
  const evictions = new Evictions({
    pod: (namespace, name) => podInformer.lister.get({ namespace, name }),
    node: (name) => nodeInformer.lister.get({ name }),
    evict: async (pod, plannedMs) => {
      event(pod, pod.metadata.namespace!, pod.metadata.name!, 'Marking for deletion');
      await evictPod(client, pod, REASON, formatTime(new Date(clock.wallMs())));
      metrics.deletions.increment();
      metrics.delays.observe((clock.steadyMs() - plannedMs) / 1000);
    },
    cancelled: (namespace, name, pod) => event(pod, namespace, name, 'Cancelling deletion of'),
    steadyMs: () => clock.steadyMs(),
  });

  const controller = new QueueController(context, {
    name: NAME,
    workers: WORKERS,
    reconcile: (key) => evictions.reconcile(key),
  });
  const nodeChanged = (node: Node): void => {
    const name = node.metadata.name!;
    if (evictingTaints(node).length > 0) tainted.add(name);
    else tainted.delete(name);
    for (const pod of podsByNode.on(name)) controller.queue.add(keyOf(pod));
  };
  controller.handle(nodeInformer, {
    onAdd: (node) => {
      if (evictingTaints(node).length > 0) nodeChanged(node);
    },
    onUpdate: (old, node) => {
      if (!deepEqual(evictingTaints(old), evictingTaints(node))) nodeChanged(node);
    },
    onDelete: ({ metadata }) => void tainted.delete(metadata.name!),
  });
  controller.handle(podInformer, {
    onAdd: (pod) => {
      if (tainted.has(pod.spec.nodeName ?? '')) controller.queue.add(keyOf(pod));
    },
    onUpdate: (old, pod) => {
      if (!tainted.has(pod.spec.nodeName ?? '') && !evictions.has(keyOf(pod))) return;
      if (pod.spec.nodeName !== old.spec.nodeName || !deepEqual(pod.spec.tolerations, old.spec.tolerations))
        controller.queue.add(keyOf(pod));
    },
    onDelete: (pod) => {
      if (evictions.has(keyOf(pod))) controller.queue.add(keyOf(pod));
    },
  });
  return controller;
}
