import { deepEqual } from '../../apimachinery/json/deep.ts';
import type { ControllerRevision, StatefulSet } from '../../generated/types/apps-v1.ts';
import type { Pod } from '../../generated/types/core-v1.ts';
import { templateOf } from '../history/revision-data.ts';
import { sortRevisions } from '../history/revisions.ts';
import { availableInMs } from '../owned/pod-state.ts';
import { isInRange, ordinalOf, replicasOf, startOrdinal } from './identity.ts';
import { manageReplicas, type SetPods } from './manage-replicas.ts';
import { newStatus } from './new-status.ts';
import { ensureRevisions, truncateHistory, type SetRevisions } from './set-revisions.ts';
import { newPod } from './stateful-pods.ts';
import type { StatefulSetSteps } from './steps.ts';

/** One set: one step towards its size and its template. Gives the milliseconds until a pod becomes available. */
export async function reconcile(set: StatefulSet, steps: StatefulSetSteps): Promise<number | undefined> {
  const known = sortRevisions(await steps.claimRevisions());
  const pods = await steps.claimPods();
  const revisions = await ensureRevisions(set, known, steps);
  const sorted = sortPods(set, revisions, pods);
  let failure: unknown;
  let deleted: readonly Pod[] = [];
  try {
    if (set.metadata.deletionTimestamp === undefined)
      deleted = await manageReplicas(set, atRevision(set, revisions.update), revisions, sorted, steps);
  } catch (error) {
    failure = error;
  }
  const status = newStatus(set, revisions, [...marked(sorted.replicas, deleted), ...sorted.condemned], steps.nowMs());
  if (!deepEqual(status, set.status)) await steps.updateStatus({ ...set, status });
  await truncateHistory(set, known, revisions, pods, steps);
  if (failure !== undefined) throw failure;
  return nextAvailable(pods, set.spec.minReadySeconds ?? 0, steps.nowMs());
}

/** Pods by their place; places without one get a pod that is to be created. */
function sortPods(set: StatefulSet, revisions: SetRevisions, pods: readonly Pod[]): SetPods {
  const start = startOrdinal(set);
  const byOrdinal = new Map(pods.map((pod) => [ordinalOf(pod) ?? -1, pod]));
  const replicas = Array.from({ length: replicasOf(set) }, (_, i) => {
    const revision = isCurrentNeeded(set, i) ? revisions.current : revisions.update;
    return byOrdinal.get(start + i) ?? newPod(atRevision(set, revision), start + i, revision.metadata.name!);
  });
  const condemned = [...byOrdinal]
    .filter(([ordinal]) => ordinal >= 0 && !isInRange(set, ordinal))
    .sort(([a], [b]) => b - a)
    .map(([, pod]) => pod);
  return { replicas, condemned };
}

/** Pods below the partition stay at the revision that the rollout comes from. */
function isCurrentNeeded({ spec, status }: StatefulSet, index: number): boolean {
  const { type, rollingUpdate } = spec.updateStrategy;
  if (type !== 'RollingUpdate') return false;
  return index < (rollingUpdate === undefined ? (status.currentReplicas ?? 0) : (rollingUpdate.partition ?? 0));
}

function atRevision(set: StatefulSet, { data }: ControllerRevision): StatefulSet {
  return { ...set, spec: { ...set.spec, template: templateOf(data) } };
}

/** Deleted just now: counted as being deleted. */
function marked(pods: readonly Pod[], deleted: readonly Pod[]): readonly Pod[] {
  return pods.map((pod) =>
    deleted.includes(pod) ? { ...pod, metadata: { ...pod.metadata, deletionTimestamp: '' } } : pod,
  );
}

function nextAvailable(pods: readonly Pod[], minReadySeconds: number, nowMs: number): number | undefined {
  const times = pods.flatMap((pod) => availableInMs(pod, minReadySeconds, nowMs) ?? []);
  return times.length === 0 ? undefined : Math.min(...times);
}
