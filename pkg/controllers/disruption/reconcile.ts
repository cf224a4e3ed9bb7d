import { semanticDeepEqual } from '../../apimachinery/json/deep.ts';
import { isConflict, isNotFound } from '../../apimachinery/errors/status-error.ts';
import { scaledValue } from '../../apimachinery/values/int-or-string.ts';
import type { Pod } from '../../generated/types/core-v1.ts';
import type { PodDisruptionBudget } from '../../generated/types/policy-v1.ts';
import { type ExpectedScale, expectedScale, NoControllerError, NoScaleError, type ScaleOf } from './expected-scale.ts';
import { countHealthy, disruptedPods, failedStatus, newStatus } from './new-status.ts';
import { selectorText } from './selector-text.ts';

export interface BudgetSteps {
  readonly podsOf: (budget: PodDisruptionBudget) => readonly Pod[];
  readonly scaleOf: ScaleOf;
  readonly writeStatus: (budget: PodDisruptionBudget) => Promise<unknown>;
  readonly event: (
    subject: PodDisruptionBudget | Pod,
    type: 'Normal' | 'Warning',
    reason: string,
    note: string,
  ) => void;
  readonly nowMs: () => number;
  readonly now: () => string;
}

/** Says in the status of a budget how many of its pods may be disrupted. Gives the time to look again. */
export async function reconcile(budget: PodDisruptionBudget, steps: BudgetSteps): Promise<number | undefined> {
  try {
    return await bringUpToDate(budget, steps);
  } catch (error) {
    // Another program has written or deleted it: the next round sees that.
    if (isConflict(error) || isNotFound(error)) throw error;
    await writeChanged(budget, failedStatus(budget, (error as Error).message, steps.now()), steps);
    // Until the budget or its pods change it stays so.
    if (error instanceof NoControllerError || error instanceof NoScaleError) return undefined;
    throw error;
  }
}

async function bringUpToDate(budget: PodDisruptionBudget, steps: BudgetSteps): Promise<number | undefined> {
  const { event } = steps;
  const pods = steps.podsOf(budget);
  if (pods.length === 0) event(budget, 'Normal', 'NoPods', 'No matching pods found');
  const { count, desiredHealthy, unmanaged } = await expectedCounts(budget, pods, steps);
  if (unmanaged.length > 0) event(budget, 'Warning', 'UnmanagedPods', unmanagedNote(budget));
  const disrupted = disruptedPods(budget, pods, steps.nowMs());
  const { namespace, name } = budget.metadata;
  for (const pod of disrupted.overdue)
    event(pod, 'Warning', 'NotDeleted', `Pod was expected by PDB ${namespace}/${name} to be deleted but it wasn't`);
  const currentHealthy = countHealthy(pods, disrupted.pods);
  const counts = { expectedPods: count, desiredHealthy, currentHealthy, disruptedPods: disrupted.pods };
  await writeChanged(budget, newStatus(budget, counts, steps.now()), steps);
  return disrupted.nextMs;
}

interface Expected extends ExpectedScale {
  readonly desiredHealthy: number;
}

async function expectedCounts(
  budget: PodDisruptionBudget,
  pods: readonly Pod[],
  { scaleOf, event }: BudgetSteps,
): Promise<Expected> {
  const { minAvailable, maxUnavailable } = budget.spec;
  if (maxUnavailable === undefined && typeof minAvailable === 'number')
    return { count: pods.length, unmanaged: [], desiredHealthy: minAvailable };
  if (maxUnavailable === undefined && minAvailable === undefined) return { count: 0, unmanaged: [], desiredHealthy: 0 };
  try {
    const scale = await expectedScale(pods, scaleOf);
    const share = scaledValue(maxUnavailable ?? minAvailable, scale.count, true);
    return { ...scale, desiredHealthy: maxUnavailable === undefined ? share : Math.max(0, scale.count - share) };
  } catch (error) {
    const text = (error as Error).message;
    if (error instanceof NoControllerError) event(budget, 'Warning', 'NoControllers', text);
    const note = `Failed to calculate the number of expected pods: ${text}`;
    event(budget, 'Warning', 'CalculateExpectedPodCountFailed', note);
    throw error;
  }
}

function unmanagedNote({ spec }: PodDisruptionBudget): string {
  const found = `Pods selected by this PodDisruptionBudget (selector: ${selectorText(spec.selector)}) were found to be`;
  const result = 'As a result, the status of the PDB cannot be calculated correctly, which may result in undefined';
  const advice = 'To account for these pods please set ".spec.minAvailable" field of the PDB to an integer value.';
  return `${found} unmanaged. ${result} behavior. ${advice}`;
}

async function writeChanged(
  budget: PodDisruptionBudget,
  status: PodDisruptionBudget['status'],
  { writeStatus }: BudgetSteps,
): Promise<void> {
  if (!semanticDeepEqual(budget.status, status)) await writeStatus({ ...budget, status });
}
