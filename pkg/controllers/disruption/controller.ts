import { deployments, replicaSets, statefulSets } from '../../api/apps/tokens.ts';
import { pods, replicationControllers } from '../../api/core/tokens.ts';
import { podDisruptionBudgets } from '../../api/policy/tokens.ts';
import { deepEqual } from '../../apimachinery/json/deep.ts';
import { type LabelSelector, labelSelectorAsSelector } from '../../apimachinery/selectors/label-selector.ts';
import { formatTime } from '../../apimachinery/values/time.ts';
import { keyOf, splitKey } from '../../client/informer/object-key.ts';
import type { Pod } from '../../generated/types/core-v1.ts';
import type { PodDisruptionBudget } from '../../generated/types/policy-v1.ts';
import type { ControllerContext } from '../controller-context.ts';
import type { ControllerDescriptor } from '../controller-descriptor.ts';
import type { Controller } from '../controller.ts';
import { QueueController } from '../queue-controller.ts';
import { OwnerScales } from './owner-scales.ts';
import { reconcile } from './reconcile.ts';
import { staleInMs, takenBack } from './stale-condition.ts';

const NAME = 'disruption-controller';
const COMPONENT = 'controllermanager';
const WORKERS = 1;
/** Before the keys of pods with a condition that can become stale; other keys are those of budgets. */
const POD = 'pod ';

export const disruptionController: ControllerDescriptor = {
  name: NAME,
  account: NAME,
  resources: [podDisruptionBudgets, pods, replicationControllers, replicaSets, deployments, statefulSets],
  create: controllerOfBudgets,
};

/** Counts for every disruption budget how many of its pods may be evicted. */
function controllerOfBudgets(context: ControllerContext): Controller {
  const { client, informers, clock } = context;
  const budgets = informers.informer(podDisruptionBudgets);
  const podInformer = informers.informer(pods);
  const scales = new OwnerScales(context);
  const recorder = context.recorder(COMPONENT);
  const now = (): string => formatTime(new Date(clock.wallMs()));
  const selectors = new WeakMap<PodDisruptionBudget, LabelSelector>();
  const selectorOf = (budget: PodDisruptionBudget): LabelSelector => {
    const selector = selectors.get(budget) ?? labelSelectorAsSelector(budget.spec.selector);
    selectors.set(budget, selector);
    return selector;
  };

  const reconcileBudget = async (key: string): Promise<number | undefined> => {
    const budget = budgets.lister.get(splitKey(key));
    if (budget === undefined) return undefined;
    return reconcile(budget, {
      podsOf: ({ metadata }) =>
        podInformer.lister
          .list({ namespace: metadata.namespace ?? '' })
          .filter((pod) => selectorOf(budget).matches(pod.metadata.labels)),
      scaleOf: (owner, namespace) => scales.of(owner, namespace),
      writeStatus: (changed) => client.update(podDisruptionBudgets, changed, { subresource: 'status' }),
      event: (subject, type, reason, note) => recorder.event(subject, { type, reason, note }),
      nowMs: () => clock.wallMs(),
      now,
    });
  };
  const reconcilePod = async (key: string): Promise<number | undefined> => {
    const name = splitKey(key);
    const pod = podInformer.lister.get(name);
    const staleMs = pod === undefined ? undefined : staleInMs(pod, clock.wallMs());
    if (staleMs === 0) await client.patch(pods, name, 'strategic', takenBack(pod!, now()), { subresource: 'status' });
    return staleMs === 0 ? undefined : staleMs;
  };

  const controller = new QueueController(context, {
    name: NAME,
    workers: WORKERS,
    reconcile: (key) => (key.startsWith(POD) ? reconcilePod(key.slice(POD.length)) : reconcileBudget(key)),
  });
  const budgetsOf = ({ metadata }: Pod): PodDisruptionBudget[] =>
    budgets.lister
      .list({ namespace: metadata.namespace ?? '' })
      .filter((budget) => selectorOf(budget).matches(metadata.labels));
  const enqueueBudgets = (found: readonly PodDisruptionBudget[]): void =>
    found.forEach((budget) => controller.queue.add(keyOf(budget)));
  const follow = (pod: Pod): void => {
    const found = budgetsOf(pod);
    enqueueBudgets(found);
    if (found.length > 1)
      recorder.event(pod, {
        type: 'Warning',
        reason: 'MultiplePodDisruptionBudgets',
        note: multipleBudgetsNote(pod, found),
      });
    if (staleInMs(pod, clock.wallMs()) !== undefined) controller.queue.add(POD + keyOf(pod));
  };
  controller.follow(budgets, (budget) => [keyOf(budget)]);
  controller.handle(podInformer, {
    onAdd: follow,
    onUpdate: (old, pod) => {
      if (!deepEqual(old.metadata.labels, pod.metadata.labels)) enqueueBudgets(budgetsOf(old));
      follow(pod);
    },
    onDelete: follow,
  });
  for (const objects of scales.followed) controller.follow(objects, () => []);
  return controller;
}

/** Stock controllers count the pod for one of the budgets alone, whichever they find first; here it counts for each. */
function multipleBudgetsNote({ metadata }: Pod, budgets: readonly PodDisruptionBudget[]): string {
  const pod = `${JSON.stringify(metadata.namespace)}/${JSON.stringify(metadata.name)}`;
  const first = budgets.map((budget) => budget.metadata.name!).sort()[0];
  return `Pod ${pod} matches multiple PodDisruptionBudgets.  Chose ${JSON.stringify(first)} arbitrarily.`;
}
