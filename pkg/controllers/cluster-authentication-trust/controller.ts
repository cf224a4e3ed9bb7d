import { configMaps } from '../../api/core/tokens.ts';
import type { ControllerContext } from '../controller-context.ts';
import type { Controller } from '../controller.ts';
import { QueueController } from '../queue-controller.ts';
import { singleObject } from '../single-object.ts';
import { NAME, NAMESPACE, reconcile } from './reconcile.ts';
import type { AuthenticationTrust } from './trust.ts';

const KEY = `${NAMESPACE}/${NAME}`;
/** Time between two looks at what the server believes: files of authorities change, and authorities expire. */
const LOOK_MS = 60_000;

/**
 * Keeps the config map by which extension servers learn whom the API servers of the cluster believe: authorities of
 * client certificates and of proxies, and the headers of proxies. `trust` may throw; it is asked again then.
 */
export function clusterAuthenticationTrustController(
  context: ControllerContext,
  trust: () => AuthenticationTrust,
): Controller {
  const configMap = singleObject(context, configMaps, { namespace: NAMESPACE, name: NAME });
  const controller = new QueueController(context, {
    name: 'cluster-authentication-trust',
    workers: 1,
    firstKeys: [KEY],
    reconcile: async () => {
      await reconcile({ trust, configMap, nowMs: context.clock.wallMs() });
      return LOOK_MS;
    },
  });
  controller.follow(configMap.followed, () => [KEY]);
  return controller;
}
