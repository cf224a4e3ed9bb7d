import { nodes, pods } from '../api/core/tokens.ts';
import { isAlreadyExists } from '../apimachinery/errors/status-error.ts';
import type { ControllerContext } from '../controllers/controller-context.ts';
import type { Controller } from '../controllers/controller.ts';
import { QueueController } from '../controllers/queue-controller.ts';
import type { Node } from '../generated/types/core-v1.ts';
import { AgentServer, type AgentCertificate } from './agent-server/agent-server.ts';
import { NodeAgents } from './node-agent.ts';
import { PodAgents } from './pod-agent.ts';
import { behaviorOf, hasFailed } from './simulated-node.ts';

const WORKERS = 32;

export interface SimulateNodesSettings {
  /** Nodes that are made where they are missing. */
  readonly nodes: readonly Node[];
  /** Address of every simulated node. */
  readonly address: string;
  /** What nodes report as the version of their agent. */
  readonly kubeletVersion: string;
  /** Of the server that answers for all their agents. */
  readonly certificate: () => AgentCertificate;
}

/** The agents of simulated nodes, and of nodes that ask for a fake one by kwok's annotation. */
export function simulateNodes(context: ControllerContext, settings: SimulateNodesSettings): Controller {
  const { client, clock, informers } = context;
  const nodeInformer = informers.informer(nodes);
  const podInformer = informers.informer(pods);
  const podAgents = new PodAgents({ client, clock, address: settings.address });
  const agentServer = new AgentServer({
    ...settings,
    clock,
    logOf: (namespace, name, container) => {
      const pod = podInformer.lister.get({ namespace, name });
      return pod === undefined
        ? { code: 404, text: `pod ${JSON.stringify(name)} does not exist` }
        : podAgents.logOf(pod, container);
    },
    isRunning: (namespace, name) => podInformer.lister.get({ namespace, name })?.status.phase === 'Running',
  });
  const agents = new NodeAgents({ client, clock, ...settings, port: () => agentServer.port() });

  const keepNode = async (name: string): Promise<number | undefined> => {
    const node = nodeInformer.lister.get({ name });
    if (node === undefined || behaviorOf(node) === undefined) {
      agents.forget(name);
      return undefined;
    }
    return hasFailed(node) ? undefined : agents.keep(node);
  };
  const keepPod = async (namespace: string, name: string): Promise<number | undefined> => {
    const pod = podInformer.lister.get({ namespace, name });
    const node = nodeInformer.lister.get({ name: pod?.spec.nodeName ?? '' });
    if (pod === undefined || node === undefined || hasFailed(node)) return undefined;
    const behavior = behaviorOf(node);
    if (behavior === undefined) return undefined;
    return behavior === 'fast' ? podAgents.keepFast(pod, node) : podAgents.keep(pod, node);
  };
  const makeNodes = async (): Promise<void> => {
    for (const node of settings.nodes) {
      if (nodeInformer.lister.get({ name: node.metadata.name! }) !== undefined) continue;
      try {
        await client.create(nodes, node);
      } catch (error) {
        if (!isAlreadyExists(error)) throw error;
      }
    }
  };

  const controller = new QueueController(context, {
    name: 'simulated-nodes',
    workers: WORKERS,
    firstKeys: ['nodes'],
    onStop: () => agentServer.stop(),
    reconcile: async (key) => {
      const [kind, first = '', second = ''] = key.split('/');
      switch (kind) {
        case 'node':
          return keepNode(first);
        case 'pod':
          return keepPod(first, second);
        default:
          return makeNodes().then(() => undefined);
      }
    },
  });
  controller.follow(nodeInformer, (node) => (behaviorOf(node) === undefined ? [] : [`node/${node.metadata.name}`]));
  controller.follow(podInformer, ({ metadata, spec }) =>
    (spec.nodeName ?? '') === '' ? [] : [`pod/${metadata.namespace}/${metadata.name}`],
  );
  podInformer.addHandler({ onDelete: ({ metadata }) => podAgents.forget(metadata.uid!) });
  nodeInformer.addHandler({
    // Its pods were seen while it was not there, or had failed.
    onAdd: (node) => queuePodsOf(node),
    onUpdate: (old, node) => {
      if (hasFailed(old) !== hasFailed(node) || behaviorOf(old) !== behaviorOf(node)) queuePodsOf(node);
    },
  });
  function queuePodsOf({ metadata }: Node): void {
    for (const pod of podInformer.lister.list())
      if (pod.spec.nodeName === metadata.name)
        controller.queue.add(`pod/${pod.metadata.namespace}/${pod.metadata.name}`);
  }
  return controller;
}
