import { nodes, pods, services } from '../../api/core/tokens.ts';
import { endpointSlices } from '../../api/discovery/tokens.ts';
import { isNamespaceTerminating } from '../../apimachinery/errors/status-error.ts';
import { keyOf, splitKey } from '../../client/informer/object-key.ts';
import type { Service } from '../../generated/types/core-v1.ts';
import type { EndpointSlice } from '../../generated/types/discovery-v1.ts';
import type { ControllerContext } from '../controller-context.ts';
import type { ControllerDescriptor } from '../controller-descriptor.ts';
import type { Controller } from '../controller.ts';
import type { ControllersConfig } from '../controllers-config.ts';
import { QueueController } from '../queue-controller.ts';
import { PodsOfServices } from '../service-endpoints/pods-of-services.ts';
import { answerOf, type SliceChanges } from '../service-endpoints/slice-changes.ts';
import { SlicesOfServices } from '../service-endpoints/slices-of-services.ts';
import { TriggerTimes } from '../service-endpoints/trigger-times.ts';
import { endpointSliceMetrics } from './metrics.ts';
import { MANAGER, reconcile } from './reconcile.ts';
import { TopologyHints, wantsTopology } from './topology-hints.ts';
import { withHints } from './traffic-hints.ts';
import { sharesMayChange } from './zone-shares.ts';

const NAME = 'endpointslice-controller';
const COMPONENT = 'endpoint-slice-controller';
/** No service has a key without a namespace: the shares of zones are computed again. */
const NODES_KEY = 'nodes';

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
  const recorder = context.recorder(COMPONENT);
  const topology = new TopologyHints(() => nodeInformer.lister.list());
  const metrics = endpointSliceMetrics(context.metrics);

  const hint = (
    service: Service,
    addressType: string,
    changes: SliceChanges,
    existing: readonly EndpointSlice[],
  ): SliceChanges => {
    const key = keyOf(service);
    const { changes: hinted, event } = wantsTopology(service)
      ? topology.add(key, addressType, changes, existing)
      : { changes: withHints(service, changes, existing), event: topology.remove(key, addressType) };
    if (event !== undefined) recorder.event(service, event);
    return hinted;
  };
  const reconcileKey = async (key: string): Promise<void> => {
    if (key === NODES_KEY) return topology.nodesChanged().forEach((one) => controller.queue.add(one));
    const service = serviceInformer.lister.get(splitKey(key));
    if (service === undefined) {
      // The collector of garbage deletes the slices.
      times.forget(key);
      topology.forget(key);
      slices.forget(key);
      metrics.forget(key);
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
        hint: (addressType, changes, existing) => hint(service, addressType, changes, existing),
        synced: (existing, changes) =>
          metrics.written(key, service, { existing, changes, endpointsMax: endpointSlice.endpointsMax }),
      });
      metrics.ended('success');
    } catch (error) {
      metrics.ended('error');
      const answer = answerOf(error);
      if (isNamespaceTerminating(answer)) return;
      const note = `Error updating Endpoint Slices for Service ${key}: ${(error as Error).message}`;
      recorder.event(service, { type: 'Warning', reason: 'FailedToUpdateEndpointSlices', note });
      throw answer;
    }
  };

  const controller = new QueueController(context, {
    name: NAME,
    workers: workers.endpointSlice,
    reconcile: reconcileKey,
  });
  controller.follow(serviceInformer, (service) => [keyOf(service)]);
  const countNodes = (): void => controller.queue.add(NODES_KEY);
  controller.handle(nodeInformer, {
    onAdd: countNodes,
    onUpdate: (old, current) => {
      if (sharesMayChange(old, current)) countNodes();
    },
    onDelete: countNodes,
  });
  selected.queueServices(controller, endpointSlice.batchMs);
  slices.queueServices(controller);
  return controller;
}
