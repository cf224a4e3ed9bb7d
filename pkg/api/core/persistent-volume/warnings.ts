import { field } from '../../../apimachinery/errors/field-path.ts';
import { getKey } from '../../../apimachinery/json/own-keys.ts';
import type { PersistentVolume, PersistentVolumeSpec } from '../../../generated/types/core-v1.ts';

const DEPRECATED_ANNOTATIONS: Readonly<Record<string, string>> = {
  'volume.beta.kubernetes.io/storage-class': 'deprecated since v1.8; use "storageClassName" attribute instead',
  'volume.beta.kubernetes.io/mount-options': 'deprecated since v1.31; use "mountOptions" attribute instead',
};

const DEPRECATED_SOURCES: readonly [source: keyof PersistentVolumeSpec, name: string, text: string][] = [
  ['cephfs', 'cephfs', 'deprecated in v1.28, non-functional in v1.31+'],
  ['photonPersistentDisk', 'photonPersistentDisk', 'deprecated in v1.11, non-functional in v1.16+'],
  ['scaleIO', 'scaleIO', 'deprecated in v1.16, non-functional in v1.22+'],
  ['storageos', 'storageOS', 'deprecated in v1.22, non-functional in v1.25+'],
  ['glusterfs', 'glusterfs', 'deprecated in v1.25, non-functional in v1.26+'],
  ['rbd', 'rbd', 'deprecated in v1.28, non-functional in v1.31+'],
];

/** Features that no longer work, or not for long. */
export function persistentVolumeWarnings({ metadata, spec }: PersistentVolume): string[] {
  const warnings: string[] = [];
  for (const [key, text] of Object.entries(DEPRECATED_ANNOTATIONS)) {
    if (getKey(metadata.annotations, key) !== undefined)
      warnings.push(`${field('metadata', 'annotations').key(key).toString()}: ${text}`);
  }
  if (spec.persistentVolumeReclaimPolicy === 'Recycle') {
    warnings.push(
      'spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. Instead, the recommended approach is to use dynamic provisioning.',
    );
  }
  for (const [source, name, text] of DEPRECATED_SOURCES)
    if (spec[source] !== undefined) warnings.push(`spec.${name}: ${text}`);
  return warnings;
}
