import type { PersistentVolume } from '../../../generated/types/core-v1.ts';
import { roundResourceList } from '../pod-spec/resource-list.ts';
import { setAzureDiskDefaults, setRbdDefaults, setScaleIoDefaults } from '../pod-spec/volume-defaults.ts';

export function setPersistentVolumeDefaults({ spec, status }: PersistentVolume): void {
  status.phase ||= 'Pending';
  spec.persistentVolumeReclaimPolicy ||= 'Retain';
  spec.volumeMode ??= 'Filesystem';
  roundResourceList(spec.capacity);
  if (spec.hostPath !== undefined) spec.hostPath.type ??= '';
  if (spec.iscsi !== undefined) spec.iscsi.iscsiInterface ||= 'default';
  if (spec.rbd !== undefined) setRbdDefaults(spec.rbd);
  if (spec.azureDisk !== undefined) setAzureDiskDefaults(spec.azureDisk);
  if (spec.scaleIO !== undefined) setScaleIoDefaults(spec.scaleIO);
}
