/** Set where the controller chose the volume, or the claim, and not their author. */
export const BOUND_BY_CONTROLLER = 'pv.kubernetes.io/bound-by-controller';
/** Set on claims whose binding is complete: losing the volume after that loses data. */
export const BIND_COMPLETED = 'pv.kubernetes.io/bind-completed';
/** Which provisioner made a volume. */
export const PROVISIONED_BY = 'pv.kubernetes.io/provisioned-by';
/** Which provisioner is to make the volume of a claim, in its older and its present form. */
export const STORAGE_PROVISIONER_BETA = 'volume.beta.kubernetes.io/storage-provisioner';
export const STORAGE_PROVISIONER = 'volume.kubernetes.io/storage-provisioner';
/** Where the scheduler wants the volume of a claim. */
export const SELECTED_NODE = 'volume.kubernetes.io/selected-node';
/** Keeps volumes that a provisioner of this program made until their data is removed. */
export const DELETION_FINALIZER = 'kubernetes.io/pv-controller';

/** Names of provisioners that are part of a manager begin with this. */
export const IN_TREE = 'kubernetes.io/';

/** Provisioners that became CSI drivers: claims name the driver. */
const migratedProvisioners: Readonly<Record<string, string>> = {
  'kubernetes.io/aws-ebs': 'ebs.csi.aws.com',
  'kubernetes.io/gce-pd': 'pd.csi.storage.gke.io',
  'kubernetes.io/azure-disk': 'disk.csi.azure.com',
  'kubernetes.io/azure-file': 'file.csi.azure.com',
  'kubernetes.io/cinder': 'cinder.csi.openstack.org',
  'kubernetes.io/vsphere-volume': 'csi.vsphere.vmware.com',
  'kubernetes.io/portworx-volume': 'pxd.portworx.com',
};

/** The name by which the provisioner of a class works today. */
export function currentProvisioner(name: string): string {
  return migratedProvisioners[name] ?? name;
}
