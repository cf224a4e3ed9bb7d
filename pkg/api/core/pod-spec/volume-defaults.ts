import type {
  AzureDiskVolumeSource,
  DownwardAPIVolumeFile,
  ProjectedVolumeSource,
  RBDVolumeSource,
  ScaleIOVolumeSource,
  Volume,
} from '../../../generated/types/core-v1.ts';
import { pullPolicyFor } from './container-defaults.ts';
import { roundResourceList } from './resource-list.ts';

/** 0644 */
const FILE_MODE = 420;

/** Defaults of one volume. A volume without a source is an emptyDir. */
export function setVolumeDefaults(volume: Volume): void {
  if (!hasSource(volume)) volume.emptyDir = {};
  if (volume.hostPath !== undefined) volume.hostPath.type ??= '';
  if (volume.secret !== undefined) volume.secret.defaultMode ??= FILE_MODE;
  if (volume.configMap !== undefined) volume.configMap.defaultMode ??= FILE_MODE;
  if (volume.downwardAPI !== undefined) {
    volume.downwardAPI.defaultMode ??= FILE_MODE;
    setDownwardFileDefaults(volume.downwardAPI.items);
  }
  if (volume.projected !== undefined) setProjectedDefaults(volume.projected);
  if (volume.iscsi !== undefined && !volume.iscsi.iscsiInterface) volume.iscsi.iscsiInterface = 'default';
  if (volume.rbd !== undefined) setRbdDefaults(volume.rbd);
  if (volume.azureDisk !== undefined) setAzureDiskDefaults(volume.azureDisk);
  if (volume.scaleIO !== undefined) setScaleIoDefaults(volume.scaleIO);
  if (volume.image !== undefined && !volume.image.pullPolicy)
    volume.image.pullPolicy = pullPolicyFor(volume.image.reference ?? '');
  const claim = volume.ephemeral?.volumeClaimTemplate?.spec;
  if (claim !== undefined) {
    claim.volumeMode ??= 'Filesystem';
    roundResourceList(claim.resources.limits);
    roundResourceList(claim.resources.requests);
  }
}

function hasSource(volume: Volume): boolean {
  for (const key in volume) if (key !== 'name' && volume[key as keyof Volume] != null) return true;
  return false;
}

function setDownwardFileDefaults(files: DownwardAPIVolumeFile[] | undefined): void {
  for (const { fieldRef } of files ?? [])
    if (fieldRef !== undefined && !fieldRef.apiVersion) fieldRef.apiVersion = 'v1';
}

function setProjectedDefaults(projected: ProjectedVolumeSource): void {
  projected.defaultMode ??= FILE_MODE;
  for (const source of projected.sources ?? []) {
    setDownwardFileDefaults(source.downwardAPI?.items);
    if (source.serviceAccountToken !== undefined) source.serviceAccountToken.expirationSeconds ??= 3600;
    if (source.podCertificate !== undefined) source.podCertificate.maxExpirationSeconds ??= 86400;
  }
}

/** Also right for the source in a PersistentVolume. */
export function setRbdDefaults(rbd: Pick<RBDVolumeSource, 'pool' | 'user' | 'keyring'>): void {
  if (!rbd.pool) rbd.pool = 'rbd';
  if (!rbd.user) rbd.user = 'admin';
  if (!rbd.keyring) rbd.keyring = '/etc/ceph/keyring';
}

/** Also right for the source in a PersistentVolume. */
export function setAzureDiskDefaults(disk: AzureDiskVolumeSource): void {
  disk.cachingMode ??= 'ReadWrite';
  disk.kind ??= 'Shared';
  disk.fsType ??= 'ext4';
  disk.readOnly ??= false;
}

/** Also right for the source in a PersistentVolume. */
export function setScaleIoDefaults(source: Pick<ScaleIOVolumeSource, 'storageMode' | 'fsType'>): void {
  if (!source.storageMode) source.storageMode = 'ThinProvisioned';
  if (!source.fsType) source.fsType = 'xfs';
}
