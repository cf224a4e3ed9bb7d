import { nodes } from '../../api/core/tokens.ts';
import type { ControllerContext } from '../controller-context.ts';
import type { ControllerDescriptor } from '../controller-descriptor.ts';
import type { Controller } from '../controller.ts';
import { nodeReference } from '../owned/node-reference.ts';
import { QueueController } from '../queue-controller.ts';
import { NodeRanges, type NodeRangesSettings } from './node-ranges.ts';
import { reconcile } from './reconcile.ts';

const NAME = 'node-ipam-controller';
/** Name of its queue in metrics. */
const QUEUE = 'cidrallocator_node';
const WORKERS = 8;

export const nodeIpamController: ControllerDescriptor = {
  name: NAME,
  account: 'node-controller',
  resources: [nodes],
  create: (context, { nodeIpam }) => (nodeIpam.allocate ? ipamController(context, nodeIpam) : undefined),
};

/** Gives every node its part of the cluster's ranges for pods. */
function ipamController(context: ControllerContext, settings: NodeRangesSettings): Controller {
  const { client, informers } = context;
  const nodeInformer = informers.informer(nodes);
  const recorder = context.recorder('cidrAllocator');
  const ranges = new NodeRanges(settings, context.metrics);
  /** Nodes for which nothing was left. */
  const waiting = new Set<string>();

  const released = (): void => {
    for (const other of waiting) controller.queue.add(other);
  };
  const controller = new QueueController(context, {
    name: QUEUE,
    workers: WORKERS,
    reconcile: (name) => {
      waiting.delete(name);
      return reconcile(name, {
        node: (key) => nodeInformer.lister.get({ name: key }),
        ranges,
        write: ({ metadata: { uid } }, [podCIDR, ...rest]) => {
          const spec = { podCIDR, podCIDRs: [podCIDR, ...rest] };
          return client.patch(nodes, { name }, 'merge', { metadata: { uid }, spec });
        },
        released,
        failed: (node, reason) => {
          if (reason === 'CIDRNotAvailable') waiting.add(name);
          const note = `Node ${name} status is now: ${reason}`;
          recorder.event(nodeReference(node), { type: 'Normal', reason, note });
        },
      });
    },
  });
  // Before anything is given away: the workers begin when all nodes were seen.
  controller.handle(nodeInformer, { onAdd: (node) => ranges.occupy(node) });
  controller.handle(nodeInformer, {
    onAdd: ({ metadata }) => controller.queue.add(metadata.name!),
    onUpdate: (old, { metadata, spec }) => {
      if (
        old.metadata.uid !== metadata.uid ||
        old.metadata.deletionTimestamp !== metadata.deletionTimestamp ||
        (spec.podCIDRs ?? []).length !== (old.spec.podCIDRs ?? []).length ||
        (spec.podCIDRs ?? []).length === 0
      )
        controller.queue.add(metadata.name!);
    },
    onDelete: ({ metadata }) => {
      waiting.delete(metadata.name!);
      // At once: a new node of the same name may follow.
      if (ranges.release(metadata.name!)) released();
    },
  });
  return controller;
}
