import { noAdmission } from '../../admission/admission.ts';
import { labelSelectorAsSelector, type LabelSelector } from '../../apimachinery/selectors/label-selector.ts';
import { setKey } from '../../apimachinery/json/own-keys.ts';
import { forbidden, notFound, tooManyRequests, type StatusError } from '../../apimachinery/errors/status-error.ts';
import type { Pod } from '../../generated/types/core-v1.ts';
import type { PodDisruptionBudget } from '../../generated/types/policy-v1.ts';
import { listObjects } from '../read-objects.ts';
import type { ResourceStore } from '../resource-store.ts';
import { updateObject } from '../update-object.ts';
import type { WriteRequest } from '../write-request.ts';

/** Pods whose eviction the controller has not confirmed yet; more are a sign that there is no controller. */
const DISRUPTED_PODS_MAX = 2000;
const REFUSAL = "Cannot evict pod as it would violate the pod's disruption budget.";

/** Every budget of the pod's namespace that selects the pod. */
export async function budgetsOf(budgets: ResourceStore<PodDisruptionBudget>, pod: Pod): Promise<PodDisruptionBudget[]> {
  const { objects } = await listObjects(
    budgets,
    { scope: budgets.scopeOf(pod.metadata.namespace ?? ''), limit: 0 },
    { kind: 'consistent' },
  );
  return objects.map((found) => found.object()).filter((budget) => selects(budget, pod));
}

/** An empty selector selects every pod. A budget without a selector, or with an invalid one, selects nothing. */
function selects(budget: PodDisruptionBudget, pod: Pod): boolean {
  let selector: LabelSelector;
  try {
    selector = labelSelectorAsSelector(budget.spec.selector);
  } catch {
    // Validation rejects such selectors; an older stored budget with one selects nothing.
    return false;
  }
  return selector.matches(pod.metadata.labels);
}

/**
 * Takes one disruption from a budget and records the pod as about to be deleted; a dry run only checks. Throws 429 or
 * 403 where the budget does not allow it. Two concurrent evictions cannot take the same disruption: the status is
 * changed by compare-and-swap.
 */
export async function takeDisruption(
  budgets: ResourceStore<PodDisruptionBudget>,
  budget: PodDisruptionBudget,
  podName: string,
  write: WriteRequest,
): Promise<void> {
  const { name = '', namespace = '' } = budget.metadata;
  if (write.context.dryRun) {
    const newest = await budgets.newest(budgets.keyOf(namespace, name));
    if (newest === undefined) throw notFound(budgets.groupResource, name);
    checkDisruption(newest.object());
    return;
  }
  await updateObject(budgets, {
    ...write,
    namespace,
    name,
    subresource: 'status',
    admission: noAdmission,
    transform(current) {
      if (current === undefined) throw notFound(budgets.groupResource, name);
      const newest = current.privateObject();
      checkDisruption(newest);
      const { status } = newest;
      status.disruptionsAllowed--;
      if (status.disruptionsAllowed === 0) setExhausted(newest, write.context.now);
      setKey((status.disruptedPods ??= {}), podName, write.context.now);
      return newest;
    },
  });
}

function checkDisruption({ metadata, status }: PodDisruptionBudget): void {
  const name = metadata.name ?? '';
  const refuse = (message: string): Error =>
    forbidden({ group: 'policy', resource: 'poddisruptionbudget' }, name, message);
  if ((status.observedGeneration ?? 0) < (metadata.generation ?? 0)) throw stillProcessed(name);
  if (status.disruptionsAllowed < 0) throw refuse('pdb disruptions allowed is negative');
  if (Object.keys(status.disruptedPods ?? {}).length > DISRUPTED_PODS_MAX) {
    throw refuse('DisruptedPods map too big - too many evictions not confirmed by PDB controller');
  }
  if (status.disruptionsAllowed > 0) return;
  const message = `The disruption budget ${name} needs ${status.desiredHealthy} healthy pods and has ${status.currentHealthy} currently`;
  throw tooManyRequests(REFUSAL, 0, [{ reason: 'DisruptionBudget', message }]);
}

/** 429 with a retry when the budget has been reconciled. */
export function stillProcessed(name: string): StatusError {
  return tooManyRequests(REFUSAL, 10, [
    { reason: 'DisruptionBudget', message: `The disruption budget ${name} is still being processed by the server.` },
  ]);
}

function setExhausted({ status }: PodDisruptionBudget, now: string): void {
  const conditions = status.conditions ?? [];
  const known = conditions.find((c) => c.type === 'DisruptionAllowed');
  const condition = {
    type: 'DisruptionAllowed',
    status: 'False',
    reason: 'InsufficientPods',
    message: '',
    lastTransitionTime: known?.status === 'False' ? known.lastTransitionTime : now,
    ...(status.observedGeneration ? { observedGeneration: status.observedGeneration } : {}),
  };
  status.conditions =
    known === undefined ? [...conditions, condition] : conditions.map((c) => (c === known ? condition : c));
}
