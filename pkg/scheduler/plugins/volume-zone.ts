import { bringsLabels, isOwnClaim } from '../cluster-event.ts';
import { rejection, type FilterPlugin } from '../plugin.ts';

const REJECTED = rejection('node(s) had no available volume zone', false);
const LABELS = ['zone', 'region'].flatMap((name) => [
  `failure-domain.beta.kubernetes.io/${name}`,
  `topology.kubernetes.io/${name}`,
]);

/** Volumes that carry labels of a zone or region, several of them between `__`. */
export const volumeZone: FilterPlugin = {
  name: 'VolumeZone',
  prepare({ info }, { volumes: lookup }) {
    const wanted: { readonly key: string; readonly values: ReadonlySet<string> }[] = [];
    for (const name of info.claims) {
      const volumeName = lookup.claim(info.namespace, name)?.spec.volumeName ?? '';
      // A claim without a volume is the matter of VolumeBinding, which has seen the pod before.
      if (volumeName === '') continue;
      const volume = lookup.volume(volumeName);
      if (volume === undefined)
        return { rejected: rejection(`persistentvolume ${JSON.stringify(volumeName)} not found`, false) };
      const labels = volume.metadata.labels ?? {};
      for (const key of LABELS)
        if (labels[key] !== undefined) wanted.push({ key, values: new Set(labels[key].split('__')) });
    }
    if (wanted.length === 0) return undefined;
    return {
      filter({ node }) {
        const labels = node?.metadata.labels ?? {};
        // Where nodes say nothing of zones there is one.
        if (LABELS.every((key) => labels[key] === undefined)) return undefined;
        const misses = wanted.some(({ key, values }) => !values.has(labels[key] ?? labels[otherName(key)] ?? ''));
        return misses ? REJECTED : undefined;
      },
    };
  },
  mayHelp: (event, { info }) =>
    isOwnClaim(event, info) || bringsLabels(event) || event.kind === 'volume' || event.kind === 'storageClass',
};

function otherName(key: string): string {
  return key.startsWith('topology.')
    ? key.replace('topology.', 'failure-domain.beta.')
    : key.replace('failure-domain.beta.', 'topology.');
}
