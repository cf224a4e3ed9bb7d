import { claimClass, findMatchingVolume, isVolumeOnNode } from '../../api/core/persistent-volume/match-claim.ts';
import { nodeSelectorTermMatcher } from '../../api/core/node/match-node.ts';
import { compareQuantities } from '../../apimachinery/values/quantity.ts';
import { SELECTED_NODE } from '../../controllers/persistent-volume-binder/names.ts';
import type { Node, PersistentVolume, PersistentVolumeClaim } from '../../generated/types/core-v1.ts';
import type { StorageClass } from '../../generated/types/storage-v1.ts';
import { bringsLabels, isOwnClaim } from '../cluster-event.ts';
import { selectorOf } from '../pod-info.ts';
import { rejection, type FilterPlugin, type Rejection } from '../plugin.ts';
import { podVolumesOf, type PodVolumes } from '../volumes/pod-volumes.ts';
import type { VolumeLookup } from '../volumes/volume-lookup.ts';

const NO_VOLUME = rejection('node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)', false);
const NODE_CONFLICT = rejection("node(s) didn't match PersistentVolume's node affinity", false);
const NOTHING_TO_BIND = rejection("node(s) didn't find available persistent volumes to bind", false);
const NO_SPACE = rejection('node(s) did not have enough free storage', false);

/** Provisioner of classes whose volumes are made by hand. */
const NO_PROVISIONER = 'kubernetes.io/no-provisioner';

/** What is to be written before a pod is bound to a node. */
export interface VolumeDecisions {
  readonly bind: readonly { readonly claim: PersistentVolumeClaim; readonly volume: PersistentVolume }[];
  readonly provision: readonly PersistentVolumeClaim[];
}

/** Claims whose volumes must be where the pod is, or are chosen when the node is. */
export const volumeBinding: FilterPlugin = {
  name: 'VolumeBinding',
  prepare({ pod, info }, { volumes: lookup }) {
    if (info.claims.length === 0) return undefined;
    const volumes = podVolumesOf(pod, lookup);
    if (typeof volumes === 'string') return { rejected: rejection(volumes, false) };
    return {
      filter({ node }): Rejection | undefined {
        const decisions = decideVolumes(volumes.delayed, node!, lookup);
        return both(boundProblem(volumes, node!), 'rejected' in decisions ? decisions.rejected : undefined);
      },
    };
  },
  mayHelp: (event, { info }) =>
    isOwnClaim(event, info) ||
    bringsLabels(event) ||
    ['volume', 'storageClass', 'csiNode', 'csiDriver', 'storageCapacity'].includes(event.kind),
};

/** Why the volumes that the pod has are not on a node: the first of them that says. */
function boundProblem({ bound }: PodVolumes, node: Node): Rejection | undefined {
  for (const { volume } of bound) {
    if (volume === undefined) return NO_VOLUME;
    if (!isVolumeOnNode(volume, node)) return NODE_CONFLICT;
  }
  return undefined;
}

/** Each counts as a reason. */
function both(one: Rejection | undefined, other: Rejection | undefined): Rejection | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return { reasons: [...one.reasons, ...other.reasons], preemptible: one.preemptible && other.preemptible };
}

/** Volumes for claims on a node, those of the smallest claims first. */
export function decideVolumes(
  claims: readonly PersistentVolumeClaim[],
  node: Node,
  lookup: VolumeLookup,
): VolumeDecisions | { readonly rejected: Rejection } {
  const bind: { claim: PersistentVolumeClaim; volume: PersistentVolume }[] = [];
  const provision: PersistentVolumeClaim[] = [];
  const taken = new Set<string>();
  for (const claim of claims.toSorted(bySize)) {
    const selected = claim.metadata.annotations?.[SELECTED_NODE];
    // A volume is being made for another node already.
    if (selected !== undefined && selected !== node.metadata.name) return { rejected: NOTHING_TO_BIND };
    const className = claimClass(claim);
    const volume =
      selected === undefined
        ? findMatchingVolume(claim, lookup.availableVolumes(className), { node, taken })
        : undefined;
    if (volume !== undefined) {
      taken.add(volume.metadata.name!);
      bind.push({ claim, volume });
      continue;
    }
    const storageClass = lookup.storageClass(className);
    if (!canProvision(storageClass, node)) return { rejected: NOTHING_TO_BIND };
    if (!hasSpace(claim, storageClass!, node, lookup)) return { rejected: NO_SPACE };
    provision.push(claim);
  }
  return { bind, provision };
}

function bySize(a: PersistentVolumeClaim, b: PersistentVolumeClaim): number {
  const size = ({ spec }: PersistentVolumeClaim): string => spec.resources.requests?.['storage'] ?? '0';
  return compareQuantities(size(a), size(b));
}

/** Whether a driver that reports how much room it has, has enough where the node is (KEP-1472). */
function hasSpace(
  { spec }: PersistentVolumeClaim,
  { metadata, provisioner }: StorageClass,
  node: Node,
  lookup: VolumeLookup,
): boolean {
  const wanted = spec.resources.requests?.['storage'];
  if (wanted === undefined || lookup.csiDriver(provisioner)?.spec.storageCapacity !== true) return true;
  return lookup.storageCapacities().some(({ storageClassName, nodeTopology, capacity, maximumVolumeSize }) => {
    const limit = maximumVolumeSize ?? capacity;
    if (storageClassName !== metadata.name || limit === undefined || nodeTopology === undefined) return false;
    return compareQuantities(limit, wanted) >= 0 && selectorOf(nodeTopology).matches(node.metadata.labels);
  });
}

function canProvision(storageClass: StorageClass | undefined, node: Node): boolean {
  if (storageClass === undefined || ['', NO_PROVISIONER].includes(storageClass.provisioner)) return false;
  const topologies = storageClass.allowedTopologies ?? [];
  return (
    topologies.length === 0 ||
    topologies.some(({ matchLabelExpressions = [] }) =>
      nodeSelectorTermMatcher({
        matchExpressions: matchLabelExpressions.map(({ key, values }) => ({
          key,
          operator: 'In',
          values: values ?? [],
        })),
      })(node),
    )
  );
}
