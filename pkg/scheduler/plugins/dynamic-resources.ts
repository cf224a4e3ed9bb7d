import { deepEqual } from '../../apimachinery/json/deep.ts';
import { nodeSelectorMatcher } from '../../api/core/node/match-node.ts';
import { claimNameOf, isReservedFor, podOf } from '../../controllers/resource-claim/claim-names.ts';
import type { Pod } from '../../generated/types/core-v1.ts';
import type { DeviceSubRequest, ResourceClaim } from '../../generated/types/resource-v1.ts';
import { bringsLabels, type ClusterEvent, type OtherKind } from '../cluster-event.ts';
import { deviceAllocator } from '../devices/allocate-devices.ts';
import type { DeviceLookup } from '../devices/device-lookup.ts';
import { rejection, type ClusterView, type FilterPlugin, type Rejection } from '../plugin.ts';
import type { Diagnosis } from '../schedule-pod.ts';

const ELSEWHERE = rejection('resourceclaim not available on the node', false);
const NOT_ALLOCATED = rejection('cannot allocate all claims', false);
const CONSUMERS_MAX = 256;

/** Pods are where the devices of their claims are, or can be had. */
export const dynamicResources: FilterPlugin = {
  name: 'DynamicResources',
  prepare({ pod }, { devices }) {
    if ((pod.spec.resourceClaims ?? []).length === 0) return undefined;
    const claims = podClaims(pod, devices);
    if ('rejected' in claims) return claims;
    const open = claims.filter(({ status }) => status?.allocation === undefined);
    const allocate = open.length === 0 ? undefined : deviceAllocator(open, devices);
    const matchers = claims.flatMap(({ status }) => {
      const selector = status?.allocation?.nodeSelector;
      return selector === undefined ? [] : [nodeSelectorMatcher(selector)];
    });
    return {
      filter({ node }): Rejection | undefined {
        if (!matchers.every((matches) => matches(node!))) return ELSEWHERE;
        return allocate !== undefined && allocate(node!) === undefined ? NOT_ALLOCATED : undefined;
      },
    };
  },
  mayHelp(event, { pod }, { devices }) {
    if (event.kind === 'resourceClaim') return !lacksClaims(pod, devices) && frees(event, pod);
    return bringsLabels(event) || event.kind === 'deviceClass' || event.kind === 'resourceSlice';
  },
};

/** Whether devices are free again, or a claim of the pod itself is new or in another state. */
function frees({ object, old, isRemoved }: Extract<ClusterEvent, { kind: OtherKind }>, pod: Pod): boolean {
  const [now, before] = [object as ResourceClaim, old as ResourceClaim | undefined];
  if (isRemoved === true) return now.status?.allocation !== undefined;
  if (before?.status?.allocation !== undefined && now.status?.allocation === undefined) return true;
  const isOwn =
    now.metadata.namespace === pod.metadata.namespace &&
    (pod.spec.resourceClaims ?? []).some((entry) => claimNameOf(pod, entry) === now.metadata.name);
  return isOwn && (before === undefined || !deepEqual(before.status, now.status));
}

/** Whether a claim of the pod is still to be made from its template: the pod is not looked at before. */
export function waitsForClaims({ spec, status }: Pod): boolean {
  return (spec.resourceClaims ?? []).some(
    ({ name, resourceClaimTemplateName }) =>
      (resourceClaimTemplateName ?? '') !== '' && !status.resourceClaimStatuses?.some((made) => made.name === name),
  );
}

/** Whether a claim of the pod is not there, is about to go, or was made for another pod. */
export function lacksClaims(pod: Pod, devices: DeviceLookup): boolean {
  return (pod.spec.resourceClaims ?? []).some((entry) => {
    const name = claimNameOf(pod, entry) ?? '';
    if (name === '') return false;
    const claim = devices.claim(pod.metadata.namespace!, name);
    if (claim === undefined || claim.metadata.deletionTimestamp !== undefined) return true;
    return (entry.resourceClaimTemplateName ?? '') !== '' && podOf(claim)?.uid !== pod.metadata.uid;
  });
}

/**
 * A claim whose devices are not where they are needed, and that no other pod uses: without them it may get others.
 * `diagnosis`: why the nodes were rejected.
 */
export function claimToFree(
  pod: Pod,
  byNode: Diagnosis['byNode'],
  { nodes, devices }: ClusterView,
): ResourceClaim | undefined {
  const lacking = nodes.filter(({ name }) => byNode.get(name) === ELSEWHERE);
  const claims = lacking.length === 0 ? [] : podClaims(pod, devices);
  if ('rejected' in claims) return undefined;
  return claims.find((claim) => {
    const { allocation, reservedFor = [] } = claim.status ?? {};
    if (allocation?.nodeSelector === undefined || reservedFor.some(({ uid }) => uid !== pod.metadata.uid)) return false;
    const matches = nodeSelectorMatcher(allocation.nodeSelector);
    return lacking.some(({ node }) => !matches(node!));
  });
}

/** The claims of a pod, or why it can be nowhere yet. */
export function podClaims(
  pod: Pod,
  devices: DeviceLookup,
): readonly ResourceClaim[] | { readonly rejected: Rejection } {
  const claims: ResourceClaim[] = [];
  for (const entry of pod.spec.resourceClaims ?? []) {
    // An entry for which none is needed has an empty name.
    const name = claimNameOf(pod, entry) ?? '';
    if (name === '') continue;
    const claim = devices.claim(pod.metadata.namespace!, name);
    const problem =
      claim === undefined ? `resourceclaim ${JSON.stringify(name)} not found` : problemOf(claim, pod, devices);
    if (problem !== undefined) return { rejected: { ...rejection(problem, false), isLast: true } };
    claims.push(claim!);
  }
  return claims;
}

function problemOf(claim: ResourceClaim, pod: Pod, devices: DeviceLookup): string | undefined {
  const { metadata, spec, status } = claim;
  if (metadata.deletionTimestamp !== undefined)
    return `resourceclaim ${JSON.stringify(metadata.name)} is being deleted`;
  if (status?.allocation !== undefined) {
    const isFull = (status.reservedFor ?? []).length >= CONSUMERS_MAX && !isReservedFor(claim, pod);
    return isFull ? 'resourceclaim in use' : undefined;
  }
  for (const { name, exactly, firstAvailable } of spec.devices?.requests ?? []) {
    const wanted: readonly Partial<DeviceSubRequest>[] = exactly === undefined ? (firstAvailable ?? []) : [exactly];
    for (const { name: subName, deviceClassName = '', selectors = [], capacity } of wanted) {
      const deviceClass = devices.deviceClass(deviceClassName);
      const full = exactly === undefined ? `${name}/${subName}` : name;
      if (deviceClass === undefined) return `request ${full}: device class ${deviceClassName} does not exist`;
      if (selectors.length + (deviceClass.spec.selectors ?? []).length > 0)
        return `request ${name}: this scheduler evaluates no selectors of devices`;
      if (capacity !== undefined) return `request ${name}: this scheduler gives out no parts of devices`;
    }
  }
  return undefined;
}
