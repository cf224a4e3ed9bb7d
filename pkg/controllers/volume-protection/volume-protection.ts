import { persistentVolumes } from '../../api/core/tokens.ts';
import type { ControllerDescriptor } from '../controller-descriptor.ts';
import { QueueController } from '../queue-controller.ts';
import { protectedObject } from './finalizer.ts';

const NAME = 'persistentvolume-protection-controller';
/** Name of its queue in metrics. */
const QUEUE = 'pvprotection';
const FINALIZER = 'kubernetes.io/pv-protection';

/** Keeps volumes that are being deleted while they are bound. */
export const persistentVolumeProtection: ControllerDescriptor = {
  name: NAME,
  account: 'pv-protection-controller',
  resources: [persistentVolumes],
  create: (context) => {
    const { client, informers } = context;
    const volumes = informers.informer(persistentVolumes);
    const controller = new QueueController(context, {
      name: QUEUE,
      workers: 1,
      reconcile: async (name) => {
        const volume = volumes.lister.get({ name });
        const wanted = volume && protectedObject(volume, FINALIZER, volume.status.phase === 'Bound');
        if (wanted !== undefined) await client.update(persistentVolumes, wanted);
        return undefined;
      },
    });
    controller.follow(volumes, ({ metadata }) => [metadata.name!]);
    return controller;
  },
};
