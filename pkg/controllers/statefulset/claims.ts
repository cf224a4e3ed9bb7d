import type { StatefulSet } from '../../generated/types/apps-v1.ts';
import type { PersistentVolumeClaim, Pod, Volume } from '../../generated/types/core-v1.ts';
import { ordinalOf } from './identity.ts';

/** The claims that a pod of the set has, by the templates of the set. */
export function claimsOf(set: StatefulSet, pod: Pod): readonly PersistentVolumeClaim[] {
  const { matchLabels } = set.spec.selector ?? {};
  return (set.spec.volumeClaimTemplates ?? []).map((template) => ({
    ...template,
    metadata: {
      ...template.metadata,
      name: claimName(set, template, pod),
      namespace: set.metadata.namespace,
      labels: { ...template.metadata.labels, ...matchLabels },
    },
  }));
}

/** The volumes of a pod: those of the set's claims in place of others of the same names. */
export function volumesOf(set: StatefulSet, pod: Pod): readonly Volume[] {
  const templates = set.spec.volumeClaimTemplates ?? [];
  const names = new Set(templates.map(({ metadata }) => metadata.name));
  const claimed = templates.map((template): Volume => ({
    name: template.metadata.name!,
    persistentVolumeClaim: { claimName: claimName(set, template, pod) },
  }));
  return [...claimed, ...(pod.spec.volumes ?? []).filter(({ name }) => !names.has(name))];
}

/** Whether the volumes of the pod are its own claims. */
export function hasStorage(set: StatefulSet, pod: Pod): boolean {
  return (set.spec.volumeClaimTemplates ?? []).every((template) => {
    const volume = pod.spec.volumes?.find(({ name }) => name === template.metadata.name);
    return volume?.persistentVolumeClaim?.claimName === claimName(set, template, pod);
  });
}

function claimName(set: StatefulSet, template: PersistentVolumeClaim, pod: Pod): string {
  return `${template.metadata.name}-${set.metadata.name}-${ordinalOf(pod)}`;
}
