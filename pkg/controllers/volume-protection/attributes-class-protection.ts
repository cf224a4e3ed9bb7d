import { persistentVolumeClaims, persistentVolumes } from '../../api/core/tokens.ts';
import { volumeAttributesClasses } from '../../api/storage/tokens.ts';
import type { PersistentVolume, PersistentVolumeClaim } from '../../generated/types/core-v1.ts';
import type { ControllerDescriptor } from '../controller-descriptor.ts';
import { QueueController } from '../queue-controller.ts';
import { protectedObject } from './finalizer.ts';

const NAME = 'volumeattributesclass-protection-controller';
/** Name of its queue in metrics. */
const QUEUE = 'vacprotection';
const FINALIZER = 'kubernetes.io/vac-protection';
const BY_CLASS = 'volumeattributesclass';

/** Keeps classes of volume attributes that are being deleted while a claim or a volume has them. */
export const volumeAttributesClassProtection: ControllerDescriptor = {
  name: NAME,
  account: 'volumeattributesclass-protection-controller',
  resources: [volumeAttributesClasses, persistentVolumeClaims, persistentVolumes],
  create: (context) => {
    const { client, informers } = context;
    const classes = informers.informer(volumeAttributesClasses);
    const claims = informers.informer(persistentVolumeClaims);
    const volumes = informers.informer(persistentVolumes);
    claims.addIndex(BY_CLASS, classesOfClaim);
    volumes.addIndex(BY_CLASS, classesOfVolume);
    const isUsed = (name: string): boolean =>
      claims.lister.listByIndex(BY_CLASS, name).length > 0 || volumes.lister.listByIndex(BY_CLASS, name).length > 0;
    const controller = new QueueController(context, {
      name: QUEUE,
      workers: 1,
      reconcile: async (name) => {
        const attributesClass = classes.lister.get({ name });
        const wanted = attributesClass && protectedObject(attributesClass, FINALIZER, isUsed(name));
        if (wanted !== undefined) await client.update(volumeAttributesClasses, wanted);
        return undefined;
      },
    });
    controller.follow(classes, ({ metadata }) => [metadata.name!]);
    controller.follow(claims, classesOfClaim);
    controller.follow(volumes, classesOfVolume);
    return controller;
  },
};

function classesOfClaim({ spec, status }: PersistentVolumeClaim): readonly string[] {
  const names = [
    spec.volumeAttributesClassName,
    status.currentVolumeAttributesClassName,
    status.modifyVolumeStatus?.targetVolumeAttributesClassName,
  ];
  return [...new Set(names.filter((name): name is string => (name ?? '') !== ''))];
}

function classesOfVolume({ spec }: PersistentVolume): readonly string[] {
  return (spec.volumeAttributesClassName ?? '') === '' ? [] : [spec.volumeAttributesClassName!];
}
