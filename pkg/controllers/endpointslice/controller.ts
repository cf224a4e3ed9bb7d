import { nodes, pods, services } from '../../api/core/tokens.ts';
import { endpointSlices } from '../../api/discovery/tokens.ts';
import { isNamespaceTerminating } from '../../apimachinery/errors/status-error.ts';
import { splitKey } from '../../client/informer/object-key.ts';
import type { ControllerContext } from '../controller-context.ts';
import type { ControllerDescriptor } from '../controller-descriptor.ts';
import type { Controller } from '../controller.ts';
import type { ControllersConfig } from '../controllers-config.ts';
import { QueueController } from '../queue-controller.ts';
import { PodsOfServices } from '../service-endpoints/pods-of-services.ts';
import { SlicesOfServices } from '../service-endpoints/slices-of-services.ts';
import { TriggerTimes } from '../service-endpoints/trigger-times.ts';
import { MANAGER, reconcile } from './reconcile.ts';

const NAME = 'endpointslice-controller';

export const endpointSliceController: ControllerDescriptor = {
  name: NAME,
  account: NAME,
  resources: [services, pods, nodes, endpointSlices],
  create: controllerOfSlices,
};

/** Writes the EndpointSlices of services that have a selector. */
function controllerOfSlices(context: ControllerContext, { workers, endpointSlice }: ControllersConfig): Controller {
  const { informers } = context;
  const serviceInformer = informers.informer(services);
  const nodeInformer = informers.informer(nodes);
  const selected = new PodsOfServices(serviceInformer, informers.informer(pods));
  const slices = new SlicesOfServices(context, MANAGER);
  const times = new TriggerTimes();
  const recorder = context.recorder(NAME);

  const reconcileKey = async (key: string): Promise<void> => {
    const service = serviceInformer.lister.get(splitKey(key));
    if (service === undefined) {
      // The collector of garbage deletes the slices.
      times.forget(key);
      slices.forget(key);
      return;
    }
    try {
      await reconcile(service, {
        podsOf: (of) => selected.podsOf(of),
        nodeOf: (name) => nodeInformer.lister.get({ name }),
        existing: () => slices.of(key),
        triggerTime: (of) => times.next(key, service, of),
        writes: slices.writes(key),
        endpointsMax: endpointSlice.endpointsMax,
      });
    } catch (error) {
      if (isNamespaceTerminating(error)) return;
      const note = `Error updating Endpoint Slices for Service ${key}: ${(error as Error).message}`;
      recorder.event(service, { type: 'Warning', reason: 'FailedToUpdateEndpointSlices', note });
      throw error;
    }
  };

  const controller = new QueueController(context, {
    name: NAME,
    workers: workers.endpointSlice,
    reconcile: reconcileKey,
  });
  controller.follow(serviceInformer, ({ metadata }) => [`${metadata.namespace}/${metadata.name}`]);
  controller.follow(nodeInformer, () => []);
  selected.queueServices(controller, endpointSlice.batchMs);
  slices.queueServices(controller);
  return controller;
}
