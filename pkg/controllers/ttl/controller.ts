import { nodes } from '../../api/core/tokens.ts';
import { isNotFound } from '../../apimachinery/errors/status-error.ts';
import { getKey } from '../../apimachinery/json/own-keys.ts';
import type { Node } from '../../generated/types/core-v1.ts';
import type { ControllerContext } from '../controller-context.ts';
import type { ControllerDescriptor } from '../controller-descriptor.ts';
import type { Controller } from '../controller.ts';
import { QueueController } from '../queue-controller.ts';

export const ttlController: ControllerDescriptor = {
  name: 'ttl-controller',
  account: 'ttl-controller',
  resources: [nodes],
  create: createController,
};

const ANNOTATION = 'node.alpha.kubernetes.io/ttl';
const WORKERS = 5;

/** How long the agents of nodes may keep secrets and config maps, by the number of nodes; ranges overlap. */
const STEPS = [
  { min: 0, max: 100, seconds: 0 },
  { min: 90, max: 500, seconds: 15 },
  { min: 450, max: 1000, seconds: 30 },
  { min: 900, max: 2000, seconds: 60 },
  { min: 1800, max: Number.POSITIVE_INFINITY, seconds: 300 },
] as const;

/** Annotates each node with how long its agent may use what it has read, so that many nodes ask the server less. */
function createController(context: ControllerContext): Controller {
  const { client, informers } = context;
  const informer = informers.informer(nodes);
  let count = 0;
  let step = 0;
  const recount = (change: number): void => {
    count += change;
    while (count > STEPS[step]!.max) step++;
    while (count < STEPS[step]!.min) step--;
  };
  const controller = new QueueController(context, {
    name: 'ttlcontroller',
    workers: WORKERS,
    async reconcile(name) {
      const { seconds } = STEPS[step]!;
      const node = informer.lister.get({ name });
      if (node === undefined || annotated(node) === seconds) return;
      const patch = { metadata: { annotations: { [ANNOTATION]: String(seconds) } } };
      await client.patch(nodes, { name }, 'strategic', patch).catch((error: unknown) => {
        if (!isNotFound(error)) throw error;
      });
    },
  });
  controller.handle(informer, {
    onAdd({ metadata }) {
      recount(1);
      controller.queue.add(metadata.name!);
    },
    onUpdate: (_, { metadata }) => controller.queue.add(metadata.name!),
    onDelete: () => recount(-1),
  });
  return controller;
}

/** The number of the annotation, however it is written. */
function annotated({ metadata }: Node): number | undefined {
  const text = getKey<string>(metadata.annotations, ANNOTATION) ?? '';
  return /^[+-]?\d+$/.test(text) ? Number(text) : undefined;
}
