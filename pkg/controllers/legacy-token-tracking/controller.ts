import { configMaps } from '../../api/core/tokens.ts';
import type { ControllerContext } from '../controller-context.ts';
import type { Controller } from '../controller.ts';
import { QueueController } from '../queue-controller.ts';
import { singleObject } from '../single-object.ts';
import { NAME, NAMESPACE, reconcile } from './reconcile.ts';

const KEY = `${NAMESPACE}/${NAME}`;

/**
 * Keeps the config map that says since when the uses of tokens from secrets are tracked: tokens without a mark may have
 * been used before that day.
 */
export function legacyTokenTrackingController(context: ControllerContext): Controller {
  const configMap = singleObject(context, configMaps, { namespace: NAMESPACE, name: NAME });
  const controller = new QueueController(context, {
    name: 'legacy-token-tracking',
    workers: 1,
    firstKeys: [KEY],
    reconcile: () => reconcile(configMap, context.clock.wallMs()),
  });
  controller.follow(configMap.followed, () => [KEY]);
  return controller;
}
