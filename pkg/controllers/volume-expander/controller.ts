import { persistentVolumeClaims, persistentVolumes } from '../../api/core/tokens.ts';
import { keyOf, splitKey } from '../../client/informer/object-key.ts';
import { compareQuantities } from '../../apimachinery/values/quantity.ts';
import type { PersistentVolumeClaim } from '../../generated/types/core-v1.ts';
import type { ControllerDescriptor } from '../controller-descriptor.ts';
import { QueueController } from '../queue-controller.ts';

const NAME = 'persistentvolume-expander-controller';

/** Says of claims that are to grow who is to do it: the manager itself expands no kind of volume that is left. */
export const persistentVolumeExpander: ControllerDescriptor = {
  name: NAME,
  account: 'expand-controller',
  resources: [persistentVolumeClaims, persistentVolumes],
  create: (context) => {
    const claims = context.informers.informer(persistentVolumeClaims);
    const volumes = context.informers.informer(persistentVolumes);
    const recorder = context.recorder('volume_expand');
    const controller = new QueueController(context, {
      name: NAME,
      workers: 1,
      reconcile: (key) => {
        const { namespace, name } = splitKey(key);
        const claim = claims.lister.get({ namespace, name });
        if (claim === undefined || !isToGrow(claim)) return Promise.resolve(undefined);
        const volume = volumes.lister.get({ name: claim.spec.volumeName ?? '' });
        if (volume?.spec.claimRef?.uid === claim.metadata.uid)
          recorder.event(claim, {
            type: 'Normal',
            reason: 'ExternalExpanding',
            note: 'waiting for an external controller to expand this PVC',
          });
        return Promise.resolve(undefined);
      },
    });
    controller.handle(claims, {
      onAdd: (claim) => {
        if (isToGrow(claim)) controller.queue.add(keyOf(claim));
      },
      onUpdate: (old, claim) => {
        const isNew = requested(old) !== requested(claim) || capacity(old) !== capacity(claim);
        if (isNew && isToGrow(claim)) controller.queue.add(keyOf(claim));
      },
    });
    controller.follow(volumes, () => []);
    return controller;
  },
};

function isToGrow(claim: PersistentVolumeClaim): boolean {
  const { metadata, status } = claim;
  if (status.phase !== 'Bound' || metadata.deletionTimestamp !== undefined) return false;
  return compareQuantities(requested(claim), capacity(claim)) > 0;
}

function requested({ spec }: PersistentVolumeClaim): string {
  return spec.resources.requests?.['storage'] ?? '0';
}

function capacity({ status }: PersistentVolumeClaim): string {
  return status.capacity?.['storage'] ?? '0';
}
