import type { DaemonSet } from '../../generated/types/apps-v1.ts';
import type { Pod } from '../../generated/types/core-v1.ts';
import { isAvailable, isReady } from '../owned/pod-state.ts';
import { REVISION_LABEL } from './daemon-pod.ts';
import type { NodePods } from './node-pods.ts';
import { allowsSurge } from './update-limits.ts';

/** What is to happen on one node, apart from updates. */
export interface NodeChanges {
  readonly create: boolean;
  readonly doomed: readonly Pod[];
  /** Those of `doomed` that have ended, and failed ones that are to wait. */
  readonly ended: readonly Pod[];
}

const NOTHING: NodeChanges = { create: false, doomed: [], ended: [] };

export function changesOnNode(set: DaemonSet, { wish, pods }: NodePods, hash: string, nowMs: number): NodeChanges {
  if (wish.run && pods.length === 0) return { ...NOTHING, create: true };
  const staying = pods.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  if (!wish.stay) return { ...NOTHING, doomed: staying };
  const ended = staying.filter(({ status }) => status.phase === 'Failed' || status.phase === 'Succeeded');
  const running = staying.filter((pod) => !ended.includes(pod));
  if (!allowsSurge(set)) return { create: false, doomed: running.slice(1), ended };
  if (running.length === 0) return { create: wish.run, doomed: [], ended };
  return { create: false, doomed: beyondSurge(set, running, hash, nowMs), ended };
}

/** An old pod stays beside the new one while it is ready and the new one is not available. */
function beyondSurge(set: DaemonSet, running: readonly Pod[], hash: string, nowMs: number): readonly Pod[] {
  if (running.length <= 1) return [];
  const isNew = ({ metadata }: Pod): boolean => metadata.labels?.[REVISION_LABEL] === hash;
  const newest = running.find(isNew);
  const old = running.find((pod) => !isNew(pod));
  const others = running.filter((pod) => pod !== newest && pod !== old);
  if (newest === undefined || old === undefined) return others;
  const isOver = !isReady(old) || isAvailable(newest, set.spec.minReadySeconds ?? 0, nowMs);
  return isOver ? [...others, old] : others;
}
