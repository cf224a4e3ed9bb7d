import { horizontalPodAutoscalers } from '../../api/autoscaling/tokens.ts';
import { pods } from '../../api/core/tokens.ts';
import type { Resource } from '../../api/resource.ts';
import type { Clock } from '../../apimachinery/clock.ts';
import { isConflict, isNotFound, notFound, type StatusError } from '../../apimachinery/errors/status-error.ts';
import { deepEqual } from '../../apimachinery/json/deep.ts';
import { type LabelSelector, parseLabelSelector } from '../../apimachinery/selectors/label-selector.ts';
import { formatTime } from '../../apimachinery/values/time.ts';
import { CachedDiscovery } from '../../client/discovery/cached-discovery.ts';
import { keyOf, splitKey } from '../../client/informer/object-key.ts';
import { retryOnConflict } from '../../client/reconcile/retry-on-conflict.ts';
import { readScale, writeScale } from '../../client/reconcile/scale.ts';
import type { Client, ObjectName } from '../../client/rest/client.ts';
import type { Scale } from '../../generated/types/autoscaling-v1.ts';
import type { HorizontalPodAutoscaler } from '../../generated/types/autoscaling-v2.ts';
import type { Pod } from '../../generated/types/core-v1.ts';
import type { ControllerContext } from '../controller-context.ts';
import type { ControllerDescriptor } from '../controller-descriptor.ts';
import type { Controller } from '../controller.ts';
import type { ControllersConfig } from '../controllers-config.ts';
import { QueueController } from '../queue-controller.ts';
import { autoscalerMetrics, scalingError, type ScalingError } from './metrics.ts';
import { MetricClients } from './metric-clients.ts';
import { reconcile } from './reconcile.ts';
import { ScalingHistory } from './scaling-history.ts';

const NAME = 'horizontal-pod-autoscaler-controller';
const COMPONENT = 'horizontal-pod-autoscaler';
/**
 * What is made together with an autoscaler, as its target, is there by then. Stock controllers look first after a whole
 * period.
 */
const FIRST_LOOK_MS = 1000;
/** The period is that of looks at metrics. One that ends before, as at a missing target, is followed by one soon. */
const NEXT_LOOK_MS = 15_000;

export const horizontalPodAutoscalerController: ControllerDescriptor = {
  name: NAME,
  account: COMPONENT,
  resources: [horizontalPodAutoscalers, pods],
  create: controllerOfAutoscalers,
};

/** Scales what autoscalers name, by metrics, once in each period. */
function controllerOfAutoscalers(context: ControllerContext, { workers, autoscaling }: ControllersConfig): Controller {
  const { client, informers, clock } = context;
  const autoscalers = informers.informer(horizontalPodAutoscalers);
  const podInformer = informers.informer(pods);
  const discovery = new CachedDiscovery(client, { clock });
  const clients = new MetricClients(client);
  const recorder = context.recorder(COMPONENT);
  const metrics = autoscalerMetrics(context.metrics, clock, () => autoscalers.lister.list());
  const nextLookMs = Math.min(NEXT_LOOK_MS, autoscaling.periodMs);
  const histories = new Map<string, ScalingHistory>();
  /** Of the pods that each scales, as its last round found them. */
  const selectors = new Map<string, string>();

  const selected = (namespace: string, selector: LabelSelector): Pod[] =>
    podInformer.lister.list({ namespace }).filter(({ metadata }) => selector.matches(metadata.labels));
  const rivalsOf = (key: string, selector: string): readonly string[] => {
    selectors.set(key, selector);
    const { namespace } = splitKey(key);
    const others = [...selectors].filter(([other]) => other !== key && other.startsWith(`${namespace}/`));
    if (others.length === 0) return [];
    const own = selected(namespace, parseLabelSelector(selector));
    return others.flatMap(([other, text]) => {
      const theirs = parseLabelSelector(text);
      return own.some(({ metadata }) => theirs.matches(metadata.labels)) ? [other] : [];
    });
  };
  const targetOf = async ({ spec }: HorizontalPodAutoscaler): Promise<Resource> => {
    const { apiVersion = 'v1', kind } = spec.scaleTargetRef;
    const resource = await discovery.forKind(apiVersion, kind);
    if (resource === undefined) throw new Error(`no matches for kind "${kind}" in group "${groupOf(apiVersion)}"`);
    return resource;
  };

  const reconcileKey = async (key: string): Promise<number | undefined> => {
    const name = splitKey(key);
    const autoscaler = autoscalers.lister.get(name);
    if (autoscaler === undefined) {
      histories.delete(key);
      selectors.delete(key);
      return undefined;
    }
    const history = histories.get(key) ?? new ScalingHistory(() => clock.steadyMs());
    histories.set(key, history);
    const target = { namespace: name.namespace, name: autoscaler.spec.scaleTargetRef.name };
    let [change, failure]: [number, ScalingError] = [0, 'none'];
    const reconciled = metrics.reconciling();
    const cameToMetrics = await reconcile(autoscaler, {
      metrics,
      clients,
      history,
      tolerance: autoscaling.tolerance,
      downscaleDelayMs: autoscaling.downscaleDelayMs,
      delays: autoscaling,
      nowMs: clock.wallMs(),
      now: formatTime(new Date(clock.wallMs())),
      resourceOf: (apiVersion, kind) => discovery.forKind(apiVersion, kind),
      readScale: async () => scaleOf(client, await targetOf(autoscaler), target),
      writeScale: async (scale, replicas) => {
        await writeUnlessResized(client, await targetOf(autoscaler), scale, replicas, clock);
        change = replicas - (scale.spec.replicas ?? 0);
      },
      podsOf: (selector) => selected(name.namespace, selector),
      rivals: (selector) => rivalsOf(key, selector),
      writeStatus: (changed) => client.update(horizontalPodAutoscalers, changed, { subresource: 'status' }),
      event: (type, reason, note) => {
        if (type === 'Warning' && failure === 'none') failure = scalingError(reason);
        recorder.event(autoscaler, { type, reason, note });
      },
    });
    reconciled(change, failure);
    return cameToMetrics ? autoscaling.periodMs : nextLookMs;
  };

  const controller = new QueueController(context, {
    name: NAME,
    workers: workers.horizontalPodAutoscaler,
    reconcile: reconcileKey,
    rateLimiter: { when: () => nextLookMs, forget: () => {}, numRequeues: () => 0 },
  });
  const enqueue = (autoscaler: HorizontalPodAutoscaler): void =>
    controller.queue.addAfter(keyOf(autoscaler), Math.min(FIRST_LOOK_MS, autoscaling.periodMs));
  controller.handle(autoscalers, {
    onAdd: enqueue,
    // Its own writes change the status alone.
    onUpdate: (old, current) => {
      if (!deepEqual(old.spec, current.spec)) enqueue(current);
    },
    onDelete: (autoscaler) => controller.queue.add(keyOf(autoscaler)),
  });
  controller.follow(podInformer, () => []);
  return controller;
}

/**
 * A target that is not there is named itself, where the server names its scale. A kind without a scale is another
 * failure, which names nothing.
 */
async function scaleOf(client: Client, resource: Resource, name: ObjectName): Promise<Scale> {
  try {
    return await readScale(client, resource, name);
  } catch (error) {
    const isTarget = isNotFound(error) && (error as StatusError).status.details?.name === name.name;
    throw isTarget ? notFound(resource, name.name) : error;
  }
}

/**
 * What was decided by the size of a target holds as long as it has that size: its controller writes its status at any
 * time, most of all in the first seconds.
 */
async function writeUnlessResized(
  client: Client,
  resource: Resource,
  scale: Scale,
  replicas: number,
  clock: Clock,
): Promise<void> {
  let latest = scale;
  await retryOnConflict(
    async () => {
      try {
        await writeScale(client, resource, latest, replicas);
      } catch (error) {
        const found = isConflict(error) ? await readScale(client, resource, scale.metadata as ObjectName) : latest;
        if (found.spec.replicas === scale.spec.replicas) latest = found;
        throw error;
      }
    },
    { clock },
  );
}

function groupOf(apiVersion: string): string {
  const slash = apiVersion.indexOf('/');
  return slash < 0 ? '' : apiVersion.slice(0, slash);
}
