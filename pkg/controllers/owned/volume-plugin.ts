import type { PersistentVolumeSpec } from '../../generated/types/core-v1.ts';

/** Sources of volumes by the plugins that today's metrics name. */
const PLUGINS: Readonly<Record<string, string>> = {
  hostPath: 'host-path',
  local: 'local-volume',
  nfs: 'nfs',
  iscsi: 'iscsi',
  fc: 'fc',
  flexVolume: 'flexvolume',
  awsElasticBlockStore: 'aws-ebs',
  gcePersistentDisk: 'gce-pd',
  azureDisk: 'azure-disk',
  azureFile: 'azure-file',
  vsphereVolume: 'vsphere-volume',
  cinder: 'cinder',
  portworxVolume: 'portworx-volume',
};

/** `kubernetes.io/csi:DRIVER`, `kubernetes.io/host-path`; `N/A` where nothing here knows the volume. */
export function volumePlugin(spec: PersistentVolumeSpec): string {
  if (spec.csi !== undefined) return `kubernetes.io/csi:${spec.csi.driver}`;
  const source = Object.keys(PLUGINS).find((name) => name in spec);
  return source === undefined ? 'N/A' : `kubernetes.io/${PLUGINS[source]}`;
}
