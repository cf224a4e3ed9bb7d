import type { ControllerContext } from '../controllers/controller-context.ts';
import type { Controller } from '../controllers/controller.ts';
import { QueueController } from '../controllers/queue-controller.ts';
import type { DespiteFullStore } from './despite-full-store.ts';

const RETRY_MS = 10_000;

/**
 * Takes the steps of the start again that a full store kept from writing, until they are done. They write through the
 * store, as they did before the server served: that is why this is no controller for any process.
 */
export function retryStartStepsController(context: ControllerContext, start: DespiteFullStore): Controller {
  return new QueueController(context, {
    name: 'start-steps',
    workers: 1,
    firstKeys: () => start.unfinished,
    reconcile: async (where) => {
      await start.retry(where);
      return start.unfinished.includes(where) ? RETRY_MS : undefined;
    },
  });
}
