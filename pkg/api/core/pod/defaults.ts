import { getKey, setKey } from '../../../apimachinery/own-keys.ts';
import type { Container, Pod, PodStatus } from '../../../generated/types/core-v1.ts';
import { dropInitContainerAnnotations, setPodSpecDefaults } from '../pod-spec/defaults.ts';

/** What holds for pods but not for templates: requests follow limits, and service variables are on. */
export function setPodDefaults(pod: Pod): void {
  dropInitContainerAnnotations(pod.metadata);
  setPodSpecDefaults(pod.spec);
  for (const container of pod.spec.containers ?? []) setRequestsFromLimits(container);
  for (const container of pod.spec.initContainers ?? []) setRequestsFromLimits(container);
  pod.spec.enableServiceLinks ??= true;
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

/** `podIP` is the first of `podIPs`. Writers that know one of the two fields only are understood; where they differ `podIP` counts. */
function setAddresses(status: PodStatus): void {
  const first = status.podIPs?.[0]?.ip;
  if (status.podIP) {
    if (status.podIP !== first) status.podIPs = [{ ip: status.podIP }];
  } else if (first) {
    status.podIP = first;
  }
}
