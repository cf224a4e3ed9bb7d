import { rejection, type FilterPlugin } from '../plugin.ts';
import { isBound, isDelayed } from '../volumes/pod-volumes.ts';

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
      const claim = lookup.claim(info.namespace, name);
      if (claim === undefined || !isBound(claim) || isDelayed(claim, lookup)) continue;
      const labels = lookup.volume(claim.spec.volumeName!)?.metadata.labels ?? {};
      for (const key of LABELS)
        if (labels[key] !== undefined) wanted.push({ key, values: new Set(labels[key].split('__')) });
    }
    if (wanted.length === 0) return undefined;
    return {
      filter({ node }) {
        const labels = node?.metadata.labels ?? {};
        // A node that says nothing of zones is in none.
        const misses = wanted.some(({ key, values }) => !values.has(labels[key] ?? labels[otherName(key)] ?? ''));
        return misses ? REJECTED : undefined;
      },
    };
  },
};

function otherName(key: string): string {
  return key.startsWith('topology.')
    ? key.replace('topology.', 'failure-domain.beta.')
    : key.replace('failure-domain.beta.', 'topology.');
}
