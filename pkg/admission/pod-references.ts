import { eachContainer } from '../api/core/pod-spec/each-container.ts';
import { field } from '../apimachinery/errors/field-path.ts';
import type { PodSpec, Volume } from '../generated/types/core-v1.ts';

/** Whether a pod refers to any secret: in volumes, environments, and credentials for registries. */
export function refersToSecrets(spec: PodSpec): boolean {
  if ((spec.imagePullSecrets?.length ?? 0) > 0) return true;
  for (const [{ env, envFrom }] of eachContainer(spec, field('spec'))) {
    if (
      env?.some(({ valueFrom }) => valueFrom?.secretKeyRef !== undefined) ||
      envFrom?.some(({ secretRef }) => secretRef !== undefined)
    )
      return true;
  }
  return (spec.volumes ?? []).some(holdsSecret);
}

function holdsSecret(volume: Volume): boolean {
  if (volume.secret !== undefined || volume.azureFile !== undefined) return true;
  if (volume.projected?.sources?.some(({ secret }) => secret !== undefined)) return true;
  const { cephfs, cinder, flexVolume, rbd, scaleIO, iscsi, storageos, csi } = volume;
  const references = [
    cephfs?.secretRef,
    cinder?.secretRef,
    flexVolume?.secretRef,
    rbd?.secretRef,
    scaleIO?.secretRef,
    iscsi?.secretRef,
    storageos?.secretRef,
    csi?.nodePublishSecretRef,
  ];
  return references.some((reference) => reference !== undefined && reference !== null);
}

/** Whether a pod refers to any config map. */
export function refersToConfigMaps(spec: PodSpec): boolean {
  for (const [{ env, envFrom }] of eachContainer(spec, field('spec'))) {
    if (
      env?.some(({ valueFrom }) => valueFrom?.configMapKeyRef !== undefined) ||
      envFrom?.some(({ configMapRef }) => configMapRef !== undefined)
    )
      return true;
  }
  return (spec.volumes ?? []).some(
    ({ configMap, projected }) =>
      configMap !== undefined || projected?.sources?.some((source) => source.configMap !== undefined) === true,
  );
}
