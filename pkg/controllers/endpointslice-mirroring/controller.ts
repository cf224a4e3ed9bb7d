import { endpoints, services } from '../../api/core/tokens.ts';
import { endpointSlices } from '../../api/discovery/tokens.ts';
import { isNamespaceTerminating } from '../../apimachinery/errors/status-error.ts';
import { keyOf, splitKey } from '../../client/informer/object-key.ts';
import type { ControllerContext } from '../controller-context.ts';
import type { ControllerDescriptor } from '../controller-descriptor.ts';
import type { Controller } from '../controller.ts';
import type { ControllersConfig } from '../controllers-config.ts';
import { timed } from '../controller-metrics.ts';
import { QueueController } from '../queue-controller.ts';
import { answerOf } from '../service-endpoints/slice-changes.ts';
import { SlicesOfServices } from '../service-endpoints/slices-of-services.ts';
import { MANAGER } from './mirrored-slices.ts';
import { mirroringMetrics } from './metrics.ts';
import { reconcile } from './reconcile.ts';

const ACCOUNT = 'endpointslicemirroring-controller';
const COMPONENT = 'endpoint-slice-mirroring-controller';

export const endpointSliceMirroringController: ControllerDescriptor = {
  name: 'endpointslice-mirroring-controller',
  account: ACCOUNT,
  resources: [services, endpoints, endpointSlices],
  create: controllerOfMirroring,
};

/** Writes EndpointSlices for Endpoints that no controller of services writes. */
function controllerOfMirroring(
  context: ControllerContext,
  { workers, endpointSliceMirroring }: ControllersConfig,
): Controller {
  const { informers, clock } = context;
  const metrics = mirroringMetrics(context.metrics);
  const endpointsInformer = informers.informer(endpoints);
  const serviceInformer = informers.informer(services);
  const slices = new SlicesOfServices(context, MANAGER);
  const recorder = context.recorder(COMPONENT);
  const reconcileKey = async (key: string): Promise<void> => {
    const name = splitKey(key);
    const source = endpointsInformer.lister.get(name);
    try {
      await reconcile(source, {
        service: serviceInformer.lister.get(name),
        existing: () => slices.of(key),
        writes: slices.writes(key),
        endpointsMax: endpointSliceMirroring.endpointsMax,
        synced: (existing, changes, left) =>
          metrics.written(key, { existing, changes, endpointsMax: endpointSliceMirroring.endpointsMax }, left),
        warn: (reason, note) => recorder.event(source!, { type: 'Warning', reason, note }),
      });
    } catch (error) {
      const answer = answerOf(error);
      if (!isNamespaceTerminating(answer)) throw answer;
    }
    if (source !== undefined) return;
    slices.forget(key);
    metrics.forget(key);
  };
  const controller = new QueueController(context, {
    name: ACCOUNT,
    workers: workers.endpointSliceMirroring,
    reconcile: (key) => timed(clock, () => reconcileKey(key), metrics.ended),
  });
  controller.follow(endpointsInformer, (object) => [keyOf(object)], { delayMs: endpointSliceMirroring.batchMs });
  controller.follow(serviceInformer, (service) => [keyOf(service)]);
  slices.queueServices(controller);
  return controller;
}
