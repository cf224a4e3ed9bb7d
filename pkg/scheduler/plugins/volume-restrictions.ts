import { isOwnClaim } from '../cluster-event.ts';
import type { DiskUse, PodInfo } from '../pod-info.ts';
import { rejection, type FilterPlugin } from '../plugin.ts';

const DISK_TAKEN = rejection('node(s) had no available disk', true);
const CLAIM_TAKEN = rejection(
  'node has pod using PersistentVolumeClaim with the same name and ReadWriteOncePod access mode',
  true,
);

/** Disks that one pod of a node may use, and claims that one pod of the whole cluster may use (ReadWriteOncePod). */
export const volumeRestrictions: FilterPlugin = {
  name: 'VolumeRestrictions',
  prepare({ pod, info }, { nodes, volumes: lookup }) {
    const exclusive: string[] = [];
    for (const { persistentVolumeClaim } of pod.spec.volumes ?? []) {
      if (persistentVolumeClaim === undefined) continue;
      const { claimName } = persistentVolumeClaim;
      const claim = lookup.claim(info.namespace, claimName);
      if (claim === undefined)
        return { rejected: rejection(`persistentvolumeclaim ${JSON.stringify(claimName)} not found`, false) };
      if (claim.spec.accessModes?.includes('ReadWriteOncePod')) exclusive.push(claimName);
    }
    const isTaken =
      exclusive.length > 0 &&
      nodes.some((node) => [...node.pods.values()].some((other) => uses(other, info, exclusive)));
    if (!isTaken && info.disks.length === 0) return undefined;
    return {
      filter(node) {
        if (info.disks.some((disk) => [...node.pods.values()].some((other) => conflicts(other, disk))))
          return DISK_TAKEN;
        return isTaken ? CLAIM_TAKEN : undefined;
      },
    };
  },
  mayHelp: (event, { info }) =>
    isOwnClaim(event, info) ||
    (event.kind === 'podRemoved' &&
      (uses(event.pod, info, info.claims) || info.disks.some((disk) => conflicts(event.pod, disk)))),
};

function uses({ namespace, claims }: PodInfo, info: PodInfo, names: readonly string[]): boolean {
  return namespace === info.namespace && claims.some((name) => names.includes(name));
}

/** Whether the pod has the disk, unless both only read it. */
function conflicts({ disks }: PodInfo, disk: DiskUse): boolean {
  return disks.some((one) => !(one.readOnly && disk.readOnly) && one.keys.some((key) => disk.keys.includes(key)));
}
