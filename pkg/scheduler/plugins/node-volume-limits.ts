import { isOwnClaim } from '../cluster-event.ts';
import type { NodeInfo } from '../node-info.ts';
import type { PodInfo } from '../pod-info.ts';
import { rejection, type FilterPlugin } from '../plugin.ts';
import type { VolumeLookup } from '../volumes/volume-lookup.ts';
import { claimClass } from '../../api/core/persistent-volume/match-claim.ts';

const REJECTED = rejection('node(s) exceed max volume count', true);

/** How many volumes of a CSI driver a node can attach. */
export const nodeVolumeLimits: FilterPlugin = {
  name: 'NodeVolumeLimits',
  prepare({ info }, { volumes: lookup }) {
    if (info.claims.length === 0) return undefined;
    const wanted = volumesByDriver(info, lookup);
    if (wanted.size === 0) return undefined;
    return {
      filter(node) {
        const limits = limitsOf(node, lookup);
        if (limits.size === 0) return undefined;
        const attached = new Map<string, Set<string>>();
        for (const pod of node.pods.values()) {
          if (pod.claims.length === 0) continue;
          for (const [driver, handles] of volumesByDriver(pod, lookup))
            attached.set(driver, new Set([...(attached.get(driver) ?? []), ...handles]));
        }
        for (const [driver, handles] of wanted) {
          const limit = limits.get(driver);
          const there = attached.get(driver) ?? new Set<string>();
          const more = [...handles].filter((handle) => !there.has(handle)).length;
          if (limit !== undefined && more > 0 && there.size + more > limit) return REJECTED;
        }
        return undefined;
      },
    };
  },
  mayHelp: (event, { info }) =>
    event.kind === 'csiNode' || isOwnClaim(event, info) || (event.kind === 'podRemoved' && event.pod.claims.length > 0),
};

function limitsOf({ name }: NodeInfo, lookup: VolumeLookup): ReadonlyMap<string, number> {
  const drivers = lookup.csiNode(name)?.spec.drivers ?? [];
  return new Map(
    drivers.flatMap(({ name: driver, allocatable }) =>
      allocatable?.count === undefined ? [] : [[driver, allocatable.count] as const],
    ),
  );
}

/** Handles of the volumes of a pod by driver; a claim without a volume counts as one of its class's provisioner. */
function volumesByDriver({ namespace, claims }: PodInfo, lookup: VolumeLookup): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  const add = (driver: string, handle: string): void => {
    const known = found.get(driver);
    if (known === undefined) found.set(driver, new Set([handle]));
    else known.add(handle);
  };
  for (const name of claims) {
    const claim = lookup.claim(namespace, name);
    if (claim === undefined) continue;
    const csi = lookup.volume(claim.spec.volumeName ?? '')?.spec.csi;
    const provisioner = lookup.storageClass(claimClass(claim))?.provisioner;
    if (csi !== undefined) add(csi.driver, csi.volumeHandle);
    else if (provisioner !== undefined && (claim.spec.volumeName ?? '') === '')
      add(provisioner, `${namespace}/${name}`);
  }
  return found;
}
