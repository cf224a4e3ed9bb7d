import type { ControllerContext } from '../controllers/controller-context.ts';
import type { Controller } from '../controllers/controller.ts';
import { QueueController } from '../controllers/queue-controller.ts';
import type { AllocationRepair } from '../registry/allocators/repair.ts';

const KEY = 'services';
/** How often it is looked whether a round is due. */
const LOOK_MS = 1000;

/**
 * Repairs the allocations of services. Of a controller it has the shape alone: it works with the allocators of this
 * process and with keys of the store that no API shows, `/ranges/`, and its rounds go by how long they take.
 */
export function allocationRepairController(
  context: ControllerContext,
  repair: AllocationRepair,
  lookMs: number = LOOK_MS,
): Controller {
  return new QueueController(context, {
    name: 'service-allocation-repair',
    workers: 1,
    firstKeys: [KEY],
    reconcile: async () => {
      await repair.runWhenDue();
      return lookMs;
    },
  });
}
