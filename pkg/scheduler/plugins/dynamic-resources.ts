import { nodeSelectorMatcher } from '../../api/core/node/match-node.ts';
import type { Pod, PodResourceClaim } from '../../generated/types/core-v1.ts';
import type { DeviceClass, ResourceClaim } from '../../generated/types/resource-v1.ts';
import { bringsLabels } from '../cluster-event.ts';
import { rejection, type FilterPlugin, type Rejection } from '../plugin.ts';

/** Claims of devices as the server shows them. */
export interface DeviceLookup {
  claim(namespace: string, name: string): ResourceClaim | undefined;
  deviceClass(name: string): DeviceClass | undefined;
}

const ELSEWHERE = rejection('resourceclaim not available on the node', false);
const NOT_ALLOCATED = rejection('cannot allocate all claims', false);

/** Pods whose claims are allocated are where the devices are. This scheduler allocates none itself. */
export const dynamicResources: FilterPlugin = {
  name: 'DynamicResources',
  prepare({ pod }, { devices }) {
    const entries = pod.spec.resourceClaims ?? [];
    if (entries.length === 0) return undefined;
    const claims: ResourceClaim[] = [];
    for (const entry of entries) {
      const name = claimNameOf(pod, entry);
      if (name === undefined) continue;
      const claim = devices.claim(pod.metadata.namespace!, name);
      const problem =
        claim === undefined ? `resourceclaim ${JSON.stringify(name)} not found` : problemOf(claim, devices);
      if (problem !== undefined) return { rejected: { ...rejection(problem, false), isLast: true } };
      claims.push(claim!);
    }
    if (claims.some(({ status }) => status?.allocation === undefined)) return { filter: () => NOT_ALLOCATED };
    const matchers = claims.flatMap(({ status }) => {
      const selector = status.allocation!.nodeSelector;
      return selector === undefined ? [] : [nodeSelectorMatcher(selector)];
    });
    return {
      filter: ({ node }): Rejection | undefined =>
        matchers.every((matches) => matches(node!)) ? undefined : ELSEWHERE,
    };
  },
  mayHelp: (event) => bringsLabels(event) || ['resourceClaim', 'deviceClass', 'resourceSlice'].includes(event.kind),
};

/** Whether a claim of the pod is still to be made from its template: the pod is not looked at before. */
export function waitsForClaims({ spec, status }: Pod): boolean {
  return (spec.resourceClaims ?? []).some(
    ({ name, resourceClaimTemplateName }) =>
      (resourceClaimTemplateName ?? '') !== '' && !status.resourceClaimStatuses?.some((made) => made.name === name),
  );
}

/** Undefined: the pod needs no claim for the entry. */
function claimNameOf({ status }: Pod, { name, resourceClaimName }: PodResourceClaim): string | undefined {
  if ((resourceClaimName ?? '') !== '') return resourceClaimName;
  return status.resourceClaimStatuses?.find((made) => made.name === name)?.resourceClaimName || undefined;
}

function problemOf({ metadata, spec, status }: ResourceClaim, devices: DeviceLookup): string | undefined {
  if (metadata.deletionTimestamp !== undefined)
    return `resourceclaim ${JSON.stringify(metadata.name)} is being deleted`;
  if (status?.allocation !== undefined) return undefined;
  for (const { name, exactly, firstAvailable } of spec.devices?.requests ?? []) {
    const wanted = exactly === undefined ? (firstAvailable ?? []) : [exactly];
    for (const { deviceClassName } of wanted)
      if (devices.deviceClass(deviceClassName) === undefined)
        return `request ${name}: device class ${deviceClassName} does not exist`;
  }
  return undefined;
}
