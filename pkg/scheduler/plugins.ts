import type { SchedulingPlugins } from './schedule-pod.ts';
import { dynamicResources } from './plugins/dynamic-resources.ts';
import { imageLocality } from './plugins/image-locality.ts';
import { interPodAffinity } from './plugins/inter-pod-affinity.ts';
import { nodeAffinity } from './plugins/node-affinity.ts';
import { nodeName } from './plugins/node-name.ts';
import { nodePorts } from './plugins/node-ports.ts';
import { nodeResourcesBalancedAllocation, nodeResourcesFit } from './plugins/node-resources.ts';
import { nodeUnschedulable } from './plugins/node-unschedulable.ts';
import { nodeVolumeLimits } from './plugins/node-volume-limits.ts';
import { podTopologySpread } from './plugins/pod-topology-spread.ts';
import { taintToleration } from './plugins/taint-toleration.ts';
import { volumeBinding } from './plugins/volume-binding.ts';
import { volumeRestrictions } from './plugins/volume-restrictions.ts';
import { volumeZone } from './plugins/volume-zone.ts';

/** Every plugin, in the order in which a stock scheduler asks them: the first that rejects a node gives the reason. */
export const schedulingPlugins: SchedulingPlugins = {
  filters: [
    nodeUnschedulable,
    nodeName,
    taintToleration,
    nodeAffinity,
    nodePorts,
    nodeResourcesFit,
    volumeRestrictions,
    nodeVolumeLimits,
    volumeBinding,
    volumeZone,
    podTopologySpread,
    interPodAffinity,
    dynamicResources,
  ],
  scores: [
    taintToleration,
    nodeAffinity,
    nodeResourcesFit,
    podTopologySpread,
    interPodAffinity,
    nodeResourcesBalancedAllocation,
    imageLocality,
  ],
};
