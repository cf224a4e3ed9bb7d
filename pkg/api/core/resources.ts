import type { ApiGroup } from '../api-group.ts';
import { binding } from './binding/binding.ts';
import { componentStatus } from './component-status/component-status.ts';
import { configMap } from './config-map/config-map.ts';
import { endpoints } from './endpoints/endpoints.ts';
import { event } from './event/event.ts';
import { limitRange } from './limit-range/limit-range.ts';
import { namespace } from './namespace/namespace.ts';
import { node } from './node/node.ts';
import { persistentVolumeClaim } from './persistent-volume-claim/persistent-volume-claim.ts';
import { persistentVolume } from './persistent-volume/persistent-volume.ts';
import { resourceQuota } from './resource-quota/resource-quota.ts';
import { secret } from './secret/secret.ts';
import { serviceAccount } from './service-account/service-account.ts';
import { service } from './service/service.ts';
import { coreWorkloadResources } from './workload-resources.ts';

/** The core group, `v1`. */
export const coreGroup: ApiGroup = {
  name: '',
  priority: 18000,
  versionPriorities: { v1: 1 },
  resources: [
    binding,
    componentStatus,
    configMap,
    endpoints,
    event,
    limitRange,
    namespace,
    node,
    persistentVolumeClaim,
    persistentVolume,
    ...coreWorkloadResources,
    resourceQuota,
    secret,
    serviceAccount,
    service,
  ],
};

/** Events have moved to a group of their own; their definition is in the core group. */
export const eventsGroup: ApiGroup = {
  name: 'events.k8s.io',
  priority: 17750,
  versionPriorities: { v1beta1: 5 },
  resources: [],
};
