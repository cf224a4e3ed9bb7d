import { endpoints, pods, services } from '../../api/core/tokens.ts';
import { isNotFound } from '../../apimachinery/errors/status-error.ts';
import { keyOf, splitKey } from '../../client/informer/object-key.ts';
import type { ControllerContext } from '../controller-context.ts';
import type { ControllerDescriptor } from '../controller-descriptor.ts';
import type { Controller } from '../controller.ts';
import { QueueController } from '../queue-controller.ts';
import { PodsOfServices } from '../service-endpoints/pods-of-services.ts';
import { TriggerTimes } from '../service-endpoints/trigger-times.ts';
import { MANAGER, reconcile } from './reconcile.ts';

/** Endpoints that carry it are a leader election's, and no service's. */
const LEADER = 'control-plane.alpha.kubernetes.io/leader';

export const endpointsController: ControllerDescriptor = {
  name: 'endpoints-controller',
  account: 'endpoint-controller',
  resources: [services, pods, endpoints],
  create: (context, { workers, endpoint }) => controllerOfEndpoints(context, workers.endpoint, endpoint.batchMs),
};

/** Writes the Endpoints of services that have a selector. */
function controllerOfEndpoints(context: ControllerContext, workers: number, batchMs: number): Controller {
  const { client, informers } = context;
  const serviceInformer = informers.informer(services);
  const endpointsInformer = informers.informer(endpoints);
  const selected = new PodsOfServices(serviceInformer, informers.informer(pods));
  const times = new TriggerTimes();
  const recorder = context.recorder(MANAGER);

  const reconcileKey = async (key: string): Promise<void> => {
    const name = splitKey(key);
    const service = serviceInformer.lister.get(name);
    if (service !== undefined)
      return reconcile(service, {
        podsOf: (of) => selected.podsOf(of),
        current: () => endpointsInformer.lister.get(name),
        triggerTime: (of) => times.next(key, service, of),
        create: (object) => client.create(endpoints, object),
        update: (object) => client.update(endpoints, object),
        failed: (object, reason, note) => recorder.event(object, { type: 'Warning', reason, note }),
      });
    times.forget(key);
    const left = endpointsInformer.lister.get(name);
    if (left === undefined || left.metadata.annotations?.[LEADER] !== undefined) return;
    try {
      await client.delete(endpoints, name, { preconditions: { uid: left.metadata.uid } });
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  };

  const controller = new QueueController(context, { name: MANAGER, workers, reconcile: reconcileKey });
  controller.follow(serviceInformer, (service) => [keyOf(service)]);
  selected.queueServices(controller, batchMs);
  // Endpoints whose service went while no controller ran, and those that are deleted by hand.
  controller.handle(endpointsInformer, {
    onAdd: (object, isInInitialList) => {
      if (isInInitialList) controller.queue.add(keyOf(object));
    },
    onDelete: (object) => controller.queue.add(keyOf(object)),
  });
  return controller;
}
