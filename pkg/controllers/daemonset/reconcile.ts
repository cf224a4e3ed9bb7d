import { deepEqual } from '../../apimachinery/json/deep.ts';
import type { DaemonSet } from '../../generated/types/apps-v1.ts';
import type { Pod } from '../../generated/types/core-v1.ts';
import { availableInMs } from '../owned/pod-state.ts';
import { applyChanges, wantedChanges, type PodChanges } from './manage-pods.ts';
import { newStatus } from './new-status.ts';
import { podsByNode } from './node-pods.ts';
import { updateChanges } from './rolling-update.ts';
import { ensureHistory, hashOf, truncateHistory, type SetHistory } from './set-history.ts';
import type { DaemonSetSteps } from './steps.ts';

/** One set: a pod on every node that it wants, of its present template. Gives the milliseconds until it comes back. */
export async function reconcile(set: DaemonSet, steps: DaemonSetSteps): Promise<number | undefined> {
  if (selectsEverything(set)) {
    const note = 'This daemon set is selecting all pods. A non-empty selector is required.';
    steps.event('Warning', 'SelectingAll', note);
    return undefined;
  }
  if (set.metadata.deletionTimestamp !== undefined) return undefined;
  const pods = await steps.claimPods();
  const history = await ensureHistory(set, pods, steps);
  if (history === undefined) {
    const collisionCount = (set.status.collisionCount ?? 0) + 1;
    await steps.updateStatus({ ...set, status: { ...set.status, collisionCount } });
    return undefined;
  }
  const hash = hashOf(history.current);
  let changes: PodChanges = { create: [], doomed: [] };
  let failure: unknown;
  try {
    changes = await manage(set, pods, history, steps);
  } catch (error) {
    failure = error;
  }
  const status = newStatus(set, podsByNode(set, steps.nodes(), pods), hash, steps.nowMs());
  if (!deepEqual(status, set.status)) await steps.updateStatus({ ...set, status });
  if (failure !== undefined) throw failure;
  return soonest([changes.waitMs, ...untilAvailable(set, pods, steps.nowMs())]);
}

/** What is missing or too many comes first, updates when that is done. */
async function manage(
  set: DaemonSet,
  pods: readonly Pod[],
  { current, old }: SetHistory,
  steps: DaemonSetSteps,
): Promise<PodChanges> {
  const found = podsByNode(set, steps.nodes(), pods);
  const hash = hashOf(current);
  const changes = wantedChanges(set, found, hash, steps);
  await applyChanges(changes, hash, steps);
  if (changes.create.length > 0 || changes.doomed.length > 0) return changes;
  if (set.spec.updateStrategy.type === 'RollingUpdate')
    await applyChanges(updateChanges(set, found, hash, steps.nowMs()), hash, steps);
  await truncateHistory(set, old, pods, steps);
  return changes;
}

function selectsEverything({ spec: { selector } }: DaemonSet): boolean {
  return Object.keys(selector?.matchLabels ?? {}).length + (selector?.matchExpressions ?? []).length === 0;
}

function untilAvailable({ spec }: DaemonSet, pods: readonly Pod[], nowMs: number): (number | undefined)[] {
  return pods.map((pod) => availableInMs(pod, spec.minReadySeconds ?? 0, nowMs));
}

function soonest(times: readonly (number | undefined)[]): number | undefined {
  const known = times.filter((time) => time !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
}
