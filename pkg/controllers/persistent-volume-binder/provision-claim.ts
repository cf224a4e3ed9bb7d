import { isAlreadyExists } from '../../apimachinery/errors/status-error.ts';
import type { PersistentVolume, PersistentVolumeClaim } from '../../generated/types/core-v1.ts';
import type { StorageClass } from '../../generated/types/storage-v1.ts';
import { timed } from '../controller-metrics.ts';
import type { ProvisionedVolume, VolumeProvisioner } from '../providers/volume-provisioner.ts';
import { normal, warning, type BinderSteps } from './binder-steps.ts';
import {
  BOUND_BY_CONTROLLER,
  currentProvisioner,
  DELETION_FINALIZER,
  IN_TREE,
  PROVISIONED_BY,
  SELECTED_NODE,
  STORAGE_PROVISIONER,
  STORAGE_PROVISIONER_BETA,
} from './names.ts';

/** Kinds of volumes that a manager knows, but never makes. */
const NOT_PROVISIONED = ['kubernetes.io/csi', 'kubernetes.io/local-volume', 'kubernetes.io/nfs'];

/** Has a volume made for a claim: by a provisioner of this program, or by one outside that reads the annotations. */
export async function provisionClaim(
  claim: PersistentVolumeClaim,
  className: string,
  steps: BinderSteps,
): Promise<void> {
  if (!steps.dynamicProvisioning) return;
  const fail = (note: string): void => steps.event(claim, warning('ProvisioningFailed', note));
  const storageClass = steps.storageClass(className);
  if (storageClass === undefined) return fail(`storageclass.storage.k8s.io ${JSON.stringify(className)} not found`);
  const name = currentProvisioner(storageClass.provisioner);
  const provisioner = steps.provisioners.find((one) => one.name === name);
  if (NOT_PROVISIONED.includes(name)) return fail('no provisionable volume plugin matched');
  if (provisioner === undefined && name.startsWith(IN_TREE)) return fail(`no volume plugin matched name: ${name}`);
  const named = await nameProvisioner(claim, name, steps);
  if (provisioner !== undefined) return provision(named, storageClass, provisioner, steps);
  steps.event(
    named,
    normal(
      'ExternalProvisioning',
      `Waiting for a volume to be created either by the external provisioner '${name}' or manually by the system administrator. If volume creation is delayed, please verify that the provisioner is running and correctly registered.`,
    ),
  );
}

async function nameProvisioner(
  claim: PersistentVolumeClaim,
  name: string,
  steps: BinderSteps,
): Promise<PersistentVolumeClaim> {
  const { metadata } = claim;
  const { annotations } = metadata;
  if (annotations?.[STORAGE_PROVISIONER] === name && annotations[STORAGE_PROVISIONER_BETA] === name) return claim;
  const named = { ...annotations, [STORAGE_PROVISIONER_BETA]: name, [STORAGE_PROVISIONER]: name };
  return steps.updateClaim({ ...claim, metadata: { ...metadata, annotations: named } });
}

async function provision(
  claim: PersistentVolumeClaim,
  storageClass: StorageClass,
  provisioner: VolumeProvisioner,
  steps: BinderSteps,
): Promise<void> {
  const name = `pvc-${claim.metadata.uid}`;
  // Made before: the volume finds its claim.
  if (steps.volume(name) !== undefined) return;
  const { mountOptions = [], metadata } = storageClass;
  const options = mountOptions ?? [];
  if (options.length > 0 && !provisioner.supportsMountOptions) {
    const note = `Mount options are not supported by the provisioner but StorageClass ${JSON.stringify(metadata.name)} has mount options [${options.join(' ')}]`;
    return steps.event(claim, warning('ProvisioningFailed', note));
  }
  if (!provisioner.provisions) {
    const note = `Failed to create provisioner: provisioning in volume plugin ${JSON.stringify(provisioner.name)} is disabled`;
    return steps.event(claim, warning('ProvisioningFailed', note));
  }
  const nodeName = claim.metadata.annotations?.[SELECTED_NODE];
  const observe = (seconds: number, error: unknown): void =>
    steps.metrics.operation('provision', provisioner.name, seconds, error);
  const make = async (): Promise<void> => {
    const made = await provisioner.provision({ claim, storageClass, ...(nodeName === undefined ? {} : { nodeName }) });
    await createVolume(volumeOf(name, claim, storageClass, provisioner, made), steps, provisioner);
  };
  try {
    await timed(steps, make, observe);
  } catch (error) {
    const note = `Failed to provision volume with StorageClass ${JSON.stringify(metadata.name)}: ${error instanceof Error ? error.message : String(error)}`;
    steps.event(claim, warning('ProvisioningFailed', note));
    if (nodeName !== undefined) await releaseNode(claim, steps);
    throw error;
  }
  steps.event(
    claim,
    normal('ProvisioningSucceeded', `Successfully provisioned volume ${name} using ${provisioner.name}`),
  );
}

async function createVolume(
  volume: PersistentVolume,
  steps: BinderSteps,
  provisioner: VolumeProvisioner,
): Promise<void> {
  try {
    await steps.createVolume(volume);
  } catch (error) {
    // Nothing refers to what was just made.
    await provisioner.delete(volume);
    if (!isAlreadyExists(error)) throw error;
  }
}

/** The scheduler looks for another node. */
async function releaseNode(claim: PersistentVolumeClaim, steps: BinderSteps): Promise<void> {
  const { [SELECTED_NODE]: _node, ...annotations } = claim.metadata.annotations ?? {};
  await steps.updateClaim({ ...claim, metadata: { ...claim.metadata, annotations } });
}

function volumeOf(
  volumeName: string,
  { metadata, spec }: PersistentVolumeClaim,
  storageClass: StorageClass,
  provisioner: VolumeProvisioner,
  made: ProvisionedVolume,
): PersistentVolume {
  const { namespace, name, uid, resourceVersion } = metadata;
  const reclaimPolicy = storageClass.reclaimPolicy ?? 'Delete';
  const storage = spec.resources.requests?.['storage'];
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: {
      name: volumeName,
      annotations: { ...made.annotations, [BOUND_BY_CONTROLLER]: 'yes', [PROVISIONED_BY]: provisioner.name },
      ...(reclaimPolicy === 'Delete' ? { finalizers: [DELETION_FINALIZER] } : {}),
    },
    spec: {
      ...made.source,
      ...(storage === undefined ? {} : { capacity: { storage } }),
      accessModes: spec.accessModes?.length ? spec.accessModes : [...made.accessModes],
      persistentVolumeReclaimPolicy: reclaimPolicy,
      storageClassName: storageClass.metadata.name!,
      ...(spec.volumeMode === undefined ? {} : { volumeMode: spec.volumeMode }),
      ...(storageClass.mountOptions?.length ? { mountOptions: storageClass.mountOptions } : {}),
      claimRef: { kind: 'PersistentVolumeClaim', apiVersion: 'v1', namespace, name, uid, resourceVersion },
    },
    status: {},
  };
}
