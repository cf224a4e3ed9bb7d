import { bootstrapSignerController } from './bootstrap-tokens/bootstrap-signer.ts';
import { tokenCleanerController } from './bootstrap-tokens/token-cleaner.ts';
import { certificateApprovingController } from './certificate-approving/controller.ts';
import { certificateCleanerController } from './certificate-cleaner/controller.ts';
import { certificateSigningController } from './certificate-signing/controller.ts';
import { clusterRoleAggregationDescriptor } from './clusterrole-aggregation/controller.ts';
import type { ControllerDescriptor } from './controller-descriptor.ts';
import { cronJobController } from './cronjob/controller.ts';
import { ttlController } from './ttl/controller.ts';
import { ttlAfterFinishedController } from './ttl-after-finished/controller.ts';
import { jobController } from './job/controller.ts';
import { daemonSetController } from './daemonset/controller.ts';
import { deploymentController } from './deployment/controller.ts';
import { ephemeralVolumeController } from './ephemeral-volume/controller.ts';
import { persistentVolumeBinder } from './persistent-volume-binder/controller.ts';
import { persistentVolumeClaimProtection } from './volume-protection/claim-protection.ts';
import { persistentVolumeExpander } from './volume-expander/controller.ts';
import { persistentVolumeProtection } from './volume-protection/volume-protection.ts';
import { volumeAttributesClassProtection } from './volume-protection/attributes-class-protection.ts';
import { attachDetachController } from './attach-detach/controller.ts';
import { resourceClaimController } from './resource-claim/controller.ts';
import { nodeIpamController } from './node-ipam/controller.ts';
import { nodeLifecycleController } from './node-lifecycle/controller.ts';
import { nodeRouteController } from './node-route/controller.ts';
import { taintEvictionController } from './taint-eviction/controller.ts';
import { deviceTaintEvictionController } from './device-taint-eviction/controller.ts';
import { disruptionController } from './disruption/controller.ts';
import { horizontalPodAutoscalerController } from './horizontal-pod-autoscaler/controller.ts';
import { endpointSliceMirroringController } from './endpointslice-mirroring/controller.ts';
import { endpointSliceController } from './endpointslice/controller.ts';
import { endpointsController } from './endpoints/controller.ts';
import { legacyTokenCleanerController } from './legacy-token-cleaner/controller.ts';
import { serviceLbController } from './service-lb/controller.ts';
import { garbageCollectorController } from './garbage-collector/controller.ts';
import { namespaceController } from './namespace/controller.ts';
import { podGcController } from './pod-gc/controller.ts';
import { replicaSetController, replicationControllerController } from './replicaset/controller.ts';
import { resourceQuotaController } from './resource-quota/controller.ts';
import { rootCaPublisherController } from './root-ca-publisher/controller.ts';
import { serviceAccountTokenController } from './serviceaccount-token/controller.ts';
import { serviceAccountDescriptor } from './serviceaccount/controller.ts';
import { serviceCidrDescriptor } from './service-cidr/controller.ts';
import { statefulSetController } from './statefulset/controller.ts';

/** Every controller of the manager, in the order in which they begin. */
export const controllerDescriptors: readonly ControllerDescriptor[] = [
  serviceAccountTokenController,
  serviceAccountDescriptor,
  rootCaPublisherController,
  deploymentController,
  persistentVolumeBinder,
  persistentVolumeExpander,
  ephemeralVolumeController,
  persistentVolumeClaimProtection,
  persistentVolumeProtection,
  volumeAttributesClassProtection,
  resourceClaimController,
  attachDetachController,
  replicaSetController,
  replicationControllerController,
  nodeLifecycleController,
  taintEvictionController,
  deviceTaintEvictionController,
  nodeIpamController,
  nodeRouteController(undefined),
  endpointsController,
  endpointSliceController,
  endpointSliceMirroringController,
  serviceLbController(),
  disruptionController,
  clusterRoleAggregationDescriptor,
  serviceCidrDescriptor,
  certificateApprovingController,
  certificateSigningController,
  certificateCleanerController,
  legacyTokenCleanerController,
  bootstrapSignerController,
  tokenCleanerController,
  jobController,
  cronJobController,
  ttlAfterFinishedController,
  namespaceController,
  garbageCollectorController,
  podGcController,
  resourceQuotaController,
  ttlController,
  horizontalPodAutoscalerController,
  statefulSetController,
  daemonSetController,
];
