import { leases } from '../../api/coordination/tokens.ts';
import { nodes, pods } from '../../api/core/tokens.ts';
import { isConflict, isNotFound } from '../../apimachinery/errors/status-error.ts';
import type { EventRecorder } from '../../client/events/event-recorder.ts';
import type { Node, Pod } from '../../generated/types/core-v1.ts';
import type { ControllerContext } from '../controller-context.ts';
import type { ControllerDescriptor } from '../controller-descriptor.ts';
import type { Controller } from '../controller.ts';
import type { ControllersConfig } from '../controllers-config.ts';
import { nodeReference } from '../owned/node-reference.ts';
import { PodsByNode } from '../owned/pod-indexes.ts';
import { QueueController } from '../queue-controller.ts';
import { changeTaints } from './change-taints.ts';
import { notReadyPod } from './mark-pods-not-ready.ts';
import { nodeMetrics } from './metrics.ts';
import { NodeMonitor } from './monitor.ts';
import { NodeHealths } from './node-health.ts';
import { type NodeLifecycleSteps, reconcile } from './reconcile.ts';
import { TaintQueues } from './taint-queues.ts';
import { ZoneStates } from './zone-state.ts';

const COMPONENT = 'node-controller';
const LEASES_NAMESPACE = 'kube-node-lease';
const WORKERS = 8;

export const nodeLifecycleController: ControllerDescriptor = {
  name: 'node-lifecycle-controller',
  account: 'node-controller',
  resources: [nodes, pods, leases],
  create: (context, { nodeLifecycle }) => lifecycleController(context, nodeLifecycle),
};

/** Keeps taints in line with what nodes say of themselves, and finds those that say nothing any more. */
function lifecycleController(context: ControllerContext, config: ControllersConfig['nodeLifecycle']): Controller {
  const { client, informers, clock, onError } = context;
  const nodeInformer = informers.informer(nodes);
  const podInformer = informers.informer(pods);
  const leaseInformer = informers.informer(leases, { namespace: LEASES_NAMESPACE });
  const podsByNode = new PodsByNode(podInformer);
  const events = nodeEvents(context.recorder(COMPONENT));
  const healths = new NodeHealths(config);
  const metrics = nodeMetrics(context.metrics);
  const queues = new TaintQueues(clock, (zone) => controller.queue.add(`zone/${zone}`));

  /** True: the pod does not say that it is ready. */
  const markPod = async (pod: Pod): Promise<boolean> => {
    const marked = notReadyPod(pod, clock.wallMs());
    if (marked === undefined) return true;
    try {
      await client.update(pods, marked, { subresource: 'status' });
    } catch (error) {
      if (isNotFound(error)) return true;
      if (!isConflict(error)) onError(error, `${COMPONENT} pod ${pod.metadata.namespace}/${pod.metadata.name}`);
      return false;
    }
    events.podNotReady(pod);
    return true;
  };
  const monitor = new NodeMonitor({
    nodes: () => nodeInformer.lister.list(),
    leaseOf: (name) => leaseInformer.lister.get({ namespace: LEASES_NAMESPACE, name }),
    healths,
    zones: new ZoneStates(config),
    queues,
    evictionRate: config.evictionRate,
    writeConditions: (node, conditions) =>
      client.update(nodes, { ...node, status: { ...node.status, conditions } }, { subresource: 'status' }),
    changeTaints: (node, change) => changeTaints(context, node, change),
    markPods: async (node) => {
      const marked: boolean[] = [];
      for (const pod of podsByNode.on(node)) marked.push(await markPod(pod));
      return marked.every(Boolean);
    },
    ...events,
    metrics,
    steadyMs: () => clock.steadyMs(),
    wallMs: () => clock.wallMs(),
    // The node was changed, or is gone: the next look sees it.
    report: (error, node) => {
      if (!isConflict(error) && !isNotFound(error)) onError(error, `${COMPONENT} ${node}`);
    },
  });
  const steps: NodeLifecycleSteps = {
    node: (name) => nodeInformer.lister.get({ name }),
    pod: (namespace, name) => podInformer.lister.get({ namespace, name }),
    lastReady: (node) => healths.lastReady(node),
    meet: (node) => monitor.meet(node),
    leave: (name) => monitor.leave(name),
    look: () => monitor.look(),
    nextOf: (zone, needsTurn) => queues.next(zone, needsTurn),
    retry: (zone, node) => queues.add(zone, node, true),
    evicted: (zone) => metrics.evictions.increment({ zone }),
    changeTaints: (node, change) => changeTaints(context, node, change),
    addLabels: (node, labels) => client.patch(nodes, { name: node.metadata.name! }, 'merge', { metadata: { labels } }),
    markPod,
  };

  const controller = new QueueController(context, {
    name: 'node-lifecycle-controller',
    workers: WORKERS,
    firstKeys: ['monitor'],
    reconcile: (key) => reconcile(key, steps, config.monitorPeriodMs),
  });
  controller.follow(nodeInformer, ({ metadata }) => [`node/${metadata.name}`]);
  controller.follow(leaseInformer, () => []);
  const podPlaced = ({ metadata, spec }: Pod): void => {
    const ready = healths.lastReady(spec.nodeName!);
    if (ready !== undefined && ready.status !== 'True')
      controller.queue.add(`pod/${metadata.namespace}/${metadata.name}`);
  };
  controller.handle(podInformer, {
    onAdd: (pod) => {
      if (pod.spec.nodeName) podPlaced(pod);
    },
    onUpdate: (old, pod) => {
      if (pod.spec.nodeName && pod.spec.nodeName !== old.spec.nodeName) podPlaced(pod);
    },
  });
  return controller;
}

function nodeEvents(recorder: EventRecorder): {
  readonly registered: (node: Node) => void;
  readonly removed: (node: Node) => void;
  readonly becameNotReady: (node: Node) => void;
  readonly podNotReady: (pod: Pod) => void;
} {
  const say = (node: Node, reason: string, note: string): void =>
    recorder.event(nodeReference(node), { type: 'Normal', reason, note });
  return {
    registered: (node) => {
      const { name } = node.metadata;
      say(node, 'RegisteredNode', `Node ${name} event: Registered Node ${name} in Controller`);
    },
    removed: (node) => {
      const { name } = node.metadata;
      say(node, 'RemovingNode', `Node ${name} event: Removing Node ${name} from Controller`);
    },
    becameNotReady: (node) => say(node, 'NodeNotReady', `Node ${node.metadata.name} status is now: NodeNotReady`),
    podNotReady: (pod) => recorder.event(pod, { type: 'Warning', reason: 'NodeNotReady', note: 'Node is not ready' }),
  };
}
