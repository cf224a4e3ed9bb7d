import type { Container, EphemeralContainer, PodSpec, Volume } from '../../../generated/types/core-v1.ts';

/** Secrets that a pod needs to run: credentials for registries, environments, volumes. May name one twice. */
export function secretNames(spec: PodSpec): string[] {
  const containers: readonly (Container | EphemeralContainer)[] = [
    ...(spec.initContainers ?? []),
    ...(spec.containers ?? []),
    ...(spec.ephemeralContainers ?? []),
  ];
  return [
    ...(spec.imagePullSecrets ?? []).map(({ name }) => name),
    ...containers.flatMap(containerSecrets),
    ...(spec.volumes ?? []).flatMap(volumeSecrets),
  ].filter((name): name is string => name !== undefined && name !== '');
}

function containerSecrets({ env, envFrom }: Container | EphemeralContainer): (string | undefined)[] {
  return [
    ...(envFrom ?? []).map(({ secretRef }) => secretRef?.name),
    ...(env ?? []).map(({ valueFrom }) => valueFrom?.secretKeyRef?.name),
  ];
}

function volumeSecrets(volume: Volume): (string | undefined)[] {
  const { azureFile, cephfs, cinder, csi, flexVolume, iscsi, projected, rbd, scaleIO, secret, storageos } = volume;
  return [
    secret?.secretName,
    azureFile?.secretName,
    csi?.nodePublishSecretRef?.name,
    ...[cephfs, cinder, flexVolume, iscsi, rbd, scaleIO, storageos].map((source) => source?.secretRef?.name),
    ...(projected?.sources ?? []).map((source) => source.secret?.name),
  ];
}
