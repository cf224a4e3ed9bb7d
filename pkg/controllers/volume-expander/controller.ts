import { persistentVolumeClaims, persistentVolumes } from '../../api/core/tokens.ts';
import { getKey } from '../../apimachinery/json/own-keys.ts';
import { compareQuantities } from '../../apimachinery/values/quantity.ts';
import { keyOf, splitKey } from '../../client/informer/object-key.ts';
import type { PersistentVolumeClaim } from '../../generated/types/core-v1.ts';
import type { ControllerDescriptor } from '../controller-descriptor.ts';
import { QueueController } from '../queue-controller.ts';
import { reconcile } from './reconcile.ts';

const NAME = 'persistentvolume-expander-controller';
/** Name of its queue in metrics. */
const QUEUE = 'volume_expand';

/** Reports on claims that are to grow who is to do it: the manager itself expands no kind of volume that is left. */
export const persistentVolumeExpander: ControllerDescriptor = {
  name: NAME,
  account: 'expand-controller',
  resources: [persistentVolumeClaims, persistentVolumes],
  create: (context) => {
    const { client, informers } = context;
    const claims = informers.informer(persistentVolumeClaims);
    const volumes = informers.informer(persistentVolumes);
    const recorder = context.recorder('volume_expand');
    const controller = new QueueController(context, {
      name: QUEUE,
      workers: 1,
      reconcile: (key) => {
        const { namespace, name } = splitKey(key);
        const claim = claims.lister.get({ namespace, name });
        if (claim === undefined) return undefined;
        return reconcile(claim, {
          volume: (volume) => volumes.lister.get({ name: volume }),
          event: (note) => recorder.event(claim, { type: 'Normal', reason: 'ExternalExpanding', note }),
          annotate: (annotations) => {
            const { resourceVersion } = claim.metadata;
            const patch = { metadata: { annotations, resourceVersion } };
            return client.patch(persistentVolumeClaims, { namespace, name }, 'strategic', patch, {
              subresource: 'status',
            });
          },
        });
      },
    });
    const enqueueBound = (claim: PersistentVolumeClaim): void => {
      if (claim.status.phase === 'Bound') controller.queue.add(keyOf(claim));
    };
    controller.handle(claims, {
      onAdd: enqueueBound,
      onUpdate: (old, claim) => {
        if (hasGrown(old.spec.resources.requests, claim.spec.resources.requests)) enqueueBound(claim);
        else if (hasGrown(old.status.capacity, claim.status.capacity)) enqueueBound(claim);
      },
    });
    controller.follow(volumes, () => []);
    return controller;
  },
};

type Sizes = Readonly<Record<string, string>> | undefined;

function hasGrown(before: Sizes, after: Sizes): boolean {
  return compareQuantities(getKey(after, 'storage') ?? '0', getKey(before, 'storage') ?? '0') > 0;
}
