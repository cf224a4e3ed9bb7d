import { rejection, type FilterPlugin } from '../plugin.ts';

const REJECTED = rejection(
  'node has pod using PersistentVolumeClaim with the same name and ReadWriteOncePod access mode',
  true,
);

/** Claims that one pod of the whole cluster may use (ReadWriteOncePod). */
export const volumeRestrictions: FilterPlugin = {
  name: 'VolumeRestrictions',
  prepare({ info }, { nodes, volumes: lookup }) {
    const exclusive = info.claims.filter((name) =>
      lookup.claim(info.namespace, name)?.spec.accessModes?.includes('ReadWriteOncePod'),
    );
    if (exclusive.length === 0) return undefined;
    const users = new Set<string>();
    for (const node of nodes) {
      for (const pod of node.pods.values())
        if (pod.namespace === info.namespace && pod.claims.some((name) => exclusive.includes(name))) users.add(pod.uid);
    }
    // A node without the user is no better: only where it is can it be deleted for this pod.
    const elsewhere = rejection(REJECTED.reasons[0]!, false);
    return {
      filter(node) {
        if (users.size === 0) return undefined;
        for (const uid of users) if (node.pods.has(uid)) return REJECTED;
        return elsewhere;
      },
    };
  },
};
