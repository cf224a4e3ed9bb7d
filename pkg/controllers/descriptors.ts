import type { ControllerDescriptor } from './controller-descriptor.ts';
import { deploymentController } from './deployment/controller.ts';
import { nodeIpamController } from './node-ipam/controller.ts';
import { nodeLifecycleController } from './node-lifecycle/controller.ts';
import { taintEvictionController } from './taint-eviction/controller.ts';
import { disruptionController } from './disruption/controller.ts';
import { endpointSliceMirroringController } from './endpointslice-mirroring/controller.ts';
import { endpointSliceController } from './endpointslice/controller.ts';
import { endpointsController } from './endpoints/controller.ts';
import { replicaSetController, replicationControllerController } from './replicaset/controller.ts';

/** Every controller of the manager, in the order in which they begin. */
export const controllerDescriptors: readonly ControllerDescriptor[] = [
  deploymentController,
  replicaSetController,
  replicationControllerController,
  nodeLifecycleController,
  taintEvictionController,
  nodeIpamController,
  endpointsController,
  endpointSliceController,
  endpointSliceMirroringController,
  disruptionController,
];
