import type { PersistentVolume } from '../../generated/types/core-v1.ts';

export interface NamespacedName {
  readonly namespace: string;
  readonly name: string;
}

interface Reference {
  readonly namespace?: string | null;
  readonly name?: string;
}

/**
 * Secrets that a node reads to mount a volume, without those that only controllers need. Older volumes leave the
 * namespace to their claim.
 */
export function volumeSecrets({ spec }: PersistentVolume): NamespacedName[] {
  const { azureFile, cephfs, cinder, csi, flexVolume, iscsi, rbd, scaleIO, storageos } = spec;
  const references: readonly (Reference | null | undefined)[] = [
    azureFile && { namespace: azureFile.secretNamespace, name: azureFile.secretName },
    ...[cephfs, cinder, flexVolume, iscsi, rbd, scaleIO, storageos].map((source) => source?.secretRef),
    csi?.nodePublishSecretRef,
    csi?.nodeStageSecretRef,
    csi?.nodeExpandSecretRef,
  ];
  return references.flatMap((reference) => {
    const [namespace, name] = [reference?.namespace || spec.claimRef?.namespace || '', reference?.name ?? ''];
    return name === '' || namespace === '' ? [] : [{ namespace, name }];
  });
}
