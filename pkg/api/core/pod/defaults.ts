import { getKey, setKey } from '../../../apimachinery/json/own-keys.ts';
import type { Container, Pod, PodStatus } from '../../../generated/types/core-v1.ts';
import { setHostPortDefaults } from '../pod-spec/container-defaults.ts';
import { dropInitContainerAnnotations, setPodSpecDefaults } from '../pod-spec/defaults.ts';
import { setPodResourceDefaults } from '../pod-spec/pod-resources.ts';

/**
 * Defaults of pods that templates do not get: requests follow limits, service variables are on, and ports of the host's
 * network are the host's.
 */
export function setPodDefaults(pod: Pod): void {
  dropInitContainerAnnotations(pod.metadata);
  setPodSpecDefaults(pod.spec);
  for (const container of pod.spec.containers ?? []) setRequestsFromLimits(container);
  for (const container of pod.spec.initContainers ?? []) setRequestsFromLimits(container);
  setPodResourceDefaults(pod.spec);
  pod.spec.enableServiceLinks ??= true;
  if (pod.spec.hostNetwork)
    for (const container of [...(pod.spec.containers ?? []), ...(pod.spec.initContainers ?? [])])
      setHostPortDefaults(container);
  setAddresses(pod.status);
}

function setRequestsFromLimits({ resources }: Container): void {
  const { limits } = resources;
  if (limits === undefined) return;
  const requests = (resources.requests ??= {});
  for (const [name, limit] of Object.entries(limits)) {
    if (getKey(requests, name) === undefined) setKey(requests, name, limit);
  }
}

/**
 * `podIP` is the first of `podIPs`. Writers that know only one of the two fields are supported; where they differ
 * `podIP` counts.
 */
function setAddresses(status: PodStatus): void {
  const first = status.podIPs?.[0]?.ip;
  if (status.podIP) {
    if (status.podIP !== first) status.podIPs = [{ ip: status.podIP }];
  } else if (first) {
    status.podIP = first;
  }
}
