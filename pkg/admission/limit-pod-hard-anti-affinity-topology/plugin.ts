import { pods } from '../../api/core/tokens.ts';
import type { AdmissionPlugin } from '../admission.ts';
import { refusal } from '../refusal.ts';
import { handles, requestsOn } from '../handles.ts';

const HOSTNAME = 'kubernetes.io/hostname';

/** Allows pods to keep others off their node, but not off whole zones. */
export function limitPodHardAntiAffinityTopologyPlugin(): AdmissionPlugin {
  return {
    name: 'LimitPodHardAntiAffinityTopology',
    validate: handles(requestsOn(pods, 'CREATE', 'UPDATE'), (request) => {
      const terms = request.object.spec.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
      const wide = terms.find(({ topologyKey }) => topologyKey !== HOSTNAME);
      if (wide === undefined) return;
      throw refusal(
        request,
        `affinity.PodAntiAffinity.RequiredDuringScheduling has TopologyKey ${wide.topologyKey} but only key ${HOSTNAME} is allowed`,
      );
    }),
  };
}
