import { claimClass } from '../api/core/persistent-volume/match-claim.ts';
import { persistentVolumeClaims, persistentVolumes } from '../api/core/tokens.ts';
import { storageClasses } from '../api/storage/tokens.ts';
import { isAlreadyExists, isNotFound } from '../apimachinery/errors/status-error.ts';
import type { ControllerContext } from '../controllers/controller-context.ts';
import type { Controller } from '../controllers/controller.ts';
import { PROVISIONED_BY, SELECTED_NODE, STORAGE_PROVISIONER } from '../controllers/persistent-volume-binder/names.ts';
import { QueueController } from '../controllers/queue-controller.ts';
import type { PersistentVolume, PersistentVolumeClaim } from '../generated/types/core-v1.ts';
import type { StorageClass } from '../generated/types/storage-v1.ts';

/** The provisioner in storage classes whose volumes are simulated. */
export const PROVISIONER = 'simulation.binnacle.io/volumes';

const DEFAULT_CLASS: StorageClass = {
  metadata: { name: 'standard', annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
  provisioner: PROVISIONER,
  reclaimPolicy: 'Delete',
  volumeBindingMode: 'Immediate',
};

/**
 * A provisioner outside of the controller manager, as clusters have them: it makes the volumes that the manager asks
 * for by an annotation of the claim, and deletes those that are released. Nothing is stored anywhere. A cluster without
 * storage classes gets a default one.
 */
export function simulateVolumes(context: ControllerContext): Controller {
  const { client, informers } = context;
  const claims = informers.informer(persistentVolumeClaims);
  const volumes = informers.informer(persistentVolumes);
  const classes = informers.informer(storageClasses);

  const makeClass = async (): Promise<void> => {
    if (classes.lister.list().length > 0) return;
    await ignore(isAlreadyExists, client.create(storageClasses, DEFAULT_CLASS));
  };
  const provision = async (claim: PersistentVolumeClaim | undefined): Promise<void> => {
    if (claim === undefined) return;
    const storageClass = classes.lister.get({ name: claimClass(claim) });
    if (storageClass === undefined || !isAsked(claim, storageClass)) return;
    await ignore(isAlreadyExists, client.create(persistentVolumes, volumeFor(claim, storageClass)));
  };
  const reclaim = async (volume: PersistentVolume | undefined): Promise<void> => {
    if (volume === undefined || !isToBeDeleted(volume)) return;
    const { name, uid } = volume.metadata;
    await ignore(isNotFound, client.delete(persistentVolumes, { name: name! }, { preconditions: { uid } }));
  };

  const controller = new QueueController(context, {
    name: 'simulated-volumes',
    workers: 4,
    firstKeys: ['class'],
    reconcile: async (key) => {
      const [kind, first = '', second = ''] = key.split('/');
      if (kind === 'class') await makeClass();
      else if (kind === 'claim') await provision(claims.lister.get({ namespace: first, name: second }));
      else await reclaim(volumes.lister.get({ name: first }));
      return undefined;
    },
  });
  controller.follow(classes, () => []);
  controller.follow(claims, (claim) =>
    isOurs(claim) ? [`claim/${claim.metadata.namespace}/${claim.metadata.name}`] : [],
  );
  controller.follow(volumes, (volume) => (isToBeDeleted(volume) ? [`volume/${volume.metadata.name}`] : []));
  return controller;
}

function isOurs({ metadata, spec }: PersistentVolumeClaim): boolean {
  return metadata.annotations?.[STORAGE_PROVISIONER] === PROVISIONER && (spec.volumeName ?? '') === '';
}

/** Where a class waits for the first pod, the scheduler names its node. */
function isAsked(claim: PersistentVolumeClaim, { provisioner, volumeBindingMode }: StorageClass): boolean {
  const { annotations, deletionTimestamp } = claim.metadata;
  if (!isOurs(claim) || provisioner !== PROVISIONER || deletionTimestamp !== undefined) return false;
  return volumeBindingMode !== 'WaitForFirstConsumer' || annotations?.[SELECTED_NODE] !== undefined;
}

function isToBeDeleted({ metadata, spec, status }: PersistentVolume): boolean {
  return (
    metadata.annotations?.[PROVISIONED_BY] === PROVISIONER &&
    metadata.deletionTimestamp === undefined &&
    spec.persistentVolumeReclaimPolicy === 'Delete' &&
    status.phase === 'Released'
  );
}

function volumeFor({ metadata, spec }: PersistentVolumeClaim, storageClass: StorageClass): PersistentVolume {
  const { namespace, name, uid, resourceVersion } = metadata;
  const storage = spec.resources.requests?.['storage'];
  const volumeName = `pvc-${uid}`;
  return {
    metadata: { name: volumeName, annotations: { [PROVISIONED_BY]: PROVISIONER } },
    spec: {
      // A path that no simulated container looks at.
      hostPath: { path: `/var/lib/simulated/${volumeName}`, type: '' },
      ...(storage === undefined ? {} : { capacity: { storage } }),
      accessModes: spec.accessModes?.length ? spec.accessModes : ['ReadWriteOnce'],
      persistentVolumeReclaimPolicy: storageClass.reclaimPolicy ?? 'Delete',
      storageClassName: storageClass.metadata.name!,
      ...(spec.volumeMode === undefined ? {} : { volumeMode: spec.volumeMode }),
      claimRef: { kind: 'PersistentVolumeClaim', apiVersion: 'v1', namespace, name, uid, resourceVersion },
    },
    status: {},
  };
}

/** For writes that someone else may have done before. */
async function ignore(isExpected: (error: unknown) => boolean, write: Promise<unknown>): Promise<void> {
  try {
    await write;
  } catch (error) {
    if (!isExpected(error)) throw error;
  }
}
