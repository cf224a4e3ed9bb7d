import { endpoints as endpointsToken, services } from '../../api/core/tokens.ts';
import { endpointSlices } from '../../api/discovery/tokens.ts';
import { isConflict, unlessNotFound } from '../../apimachinery/errors/status-error.ts';
import type { ApiObject } from '../../apimachinery/meta/object.ts';
import { ExponentialBackoff } from '../../client/workqueue/rate-limiter.ts';
import type { ControllerContext } from '../controller-context.ts';
import type { Controller } from '../controller.ts';
import { QueueController } from '../queue-controller.ts';
import { singleObject } from '../single-object.ts';
import type { EndpointReconciler, ServingAddress } from './endpoint-reconciler.ts';
import type { EndpointObjects } from './kubernetes-endpoints.ts';
import { reconcile } from './reconcile.ts';
import { NAME, NAMESPACE, type KubernetesServiceOptions } from './service-object.ts';

const KEY = `${NAMESPACE}/${NAME}`;
const RETRY_MS = 250;
/** Tries to leave the endpoints against other servers that write them. */
const TRIES_MAX = 5;
/** Time between two rounds: with the time of a lease, the longest that a dead server stays in the endpoints. */
const INTERVAL_MS = 5000;

export interface KubernetesServiceControllerOptions {
  readonly service: KubernetesServiceOptions;
  readonly endpoints: EndpointReconciler;
  /** Undefined where no pod reaches this server: better none at all, and the API refuses loopback addresses too. */
  readonly own: ServingAddress | undefined;
}

/**
 * Keeps the service by which programs in the cluster reach its servers, with this server in its endpoints until the
 * controller stops. Goes by time, not by events: servers that want other endpoints would else undo each other's work
 * without a pause.
 */
export function kubernetesServiceController(
  context: ControllerContext,
  { service: options, endpoints, own }: KubernetesServiceControllerOptions,
): Controller {
  const { client } = context;
  const name = { namespace: NAMESPACE, name: NAME };
  const service = singleObject(context, services, name);
  const endpointsObject = singleObject(context, endpointsToken, name);
  const slice = {
    ...singleObject(context, endpointSlices, name),
    remove: () => client.delete(endpointSlices, name),
  };
  const objects: EndpointObjects = { endpoints: endpointsObject, slice };
  /** As the server has them: a stop has no next round. */
  const newest: EndpointObjects = {
    endpoints: { ...endpointsObject, read: () => unlessNotFound(client.get(endpointsToken, name)) },
    slice: { ...slice, read: () => unlessNotFound(client.get(endpointSlices, name)) },
  };
  const controller = new QueueController(context, {
    name: 'kubernetes-service',
    workers: 1,
    firstKeys: [KEY],
    // A server that is not in time leaves the endpoints.
    rateLimiter: new ExponentialBackoff(RETRY_MS, INTERVAL_MS),
    reconcile: async () => {
      await reconcile({ service, options, objects, endpoints, own });
      return INTERVAL_MS;
    },
    onStop: () => leave(endpoints, own, newest),
  });
  for (const { followed } of [service, endpointsObject, slice]) controller.follow<ApiObject>(followed, () => []);
  return controller;
}

async function leave(
  endpoints: EndpointReconciler,
  own: ServingAddress | undefined,
  objects: EndpointObjects,
): Promise<void> {
  for (let tries = 1; own !== undefined; tries++) {
    try {
      return await endpoints.remove(own, objects);
    } catch (error) {
      if (!isConflict(error) || tries === TRIES_MAX) throw error;
    }
  }
}
