import type { DaemonSet } from '../../generated/types/apps-v1.ts';
import type { Pod } from '../../generated/types/core-v1.ts';
import { isAvailable } from '../owned/pod-state.ts';
import { isUpdated } from './daemon-pod.ts';
import type { PodChanges } from './manage-pods.ts';
import type { NodePods, PodsByNode } from './node-pods.ts';
import { updateLimits, type UpdateLimits } from './update-limits.ts';

/** A node in the middle of an update. */
interface UpdatingNode {
  readonly name: string;
  /** A pod is to be there. Else one that is there may stay, but no other comes. */
  readonly run: boolean;
  /** Of the present template. */
  readonly fresh: Pod | undefined;
  readonly old: Pod | undefined;
  /** More than one of either: what is too many goes first. */
  readonly crowded: boolean;
}

/** Which old pods to delete, and with a surge which nodes get a second pod. */
export function updateChanges(set: DaemonSet, { nodes }: PodsByNode, hash: string, nowMs: number): PodChanges {
  const limits = updateLimits(set, nodes.filter(({ wish }) => wish.run).length);
  const updating = nodes
    .filter(({ wish, pods }) => wish.run || pods.length > 0)
    .map((node) => updatingNode(set, node, hash));
  const isUp = (pod: Pod): boolean => isAvailable(pod, set.spec.minReadySeconds ?? 0, nowMs);
  return limits.surge === 0 ? replaceInPlace(updating, limits, isUp) : surge(updating, limits, isUp);
}

function replaceInPlace(nodes: readonly UpdatingNode[], limits: UpdateLimits, isUp: (pod: Pod) => boolean): PodChanges {
  const hasOldAlone = ({ crowded, fresh, old }: UpdatingNode): boolean => !crowded && !fresh && old !== undefined;
  const old = nodes.filter(hasOldAlone).map((node) => node.old!);
  const candidates = old.filter(isUp);
  const isServed = (node: UpdatingNode): boolean =>
    !node.crowded && node.old === undefined && node.fresh !== undefined && isUp(node.fresh);
  const unavailable = nodes.length - candidates.length - nodes.filter(isServed).length;
  const spare = Math.max(0, limits.unavailable - unavailable);
  // Nothing is lost with an old pod that does not work.
  return { create: [], doomed: [...old.filter((pod) => !isUp(pod)), ...candidates.slice(0, spare)] };
}

function surge(nodes: readonly UpdatingNode[], limits: UpdateLimits, isUp: (pod: Pod) => boolean): PodChanges {
  const allowed: string[] = [];
  const candidates: string[] = [];
  const doomed: Pod[] = [];
  /** Old pods that serve where none is wanted any more. */
  const leaving: Pod[] = [];
  let surging = 0;
  for (const { name, run, fresh, old, crowded } of nodes) {
    if (crowded) surging++;
    else if (old === undefined) continue;
    else if (fresh !== undefined) {
      if (isUp(fresh)) doomed.push(old);
      else surging++;
    } else if (run) (isUp(old) ? candidates : allowed).push(name);
    else (isUp(old) ? leaving : doomed).push(old);
  }
  // They go when as many others serve as the set wants.
  const serving = nodes.filter(({ crowded, old, fresh }) => {
    const pod = old ?? fresh;
    return !crowded && pod !== undefined && isUp(pod);
  });
  const spare = Math.max(0, serving.length - nodes.filter(({ run }) => run).length);
  return {
    create: [...allowed, ...candidates.slice(0, Math.max(0, limits.surge - surging))],
    doomed: [...doomed, ...leaving.slice(0, spare)],
  };
}

function updatingNode(set: DaemonSet, { name, wish, pods }: NodePods, hash: string): UpdatingNode {
  const staying = pods.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  const fresh = staying.filter((pod) => isUpdated(pod, set, hash));
  const old = staying.filter((pod) => !isUpdated(pod, set, hash));
  return { name, run: wish.run, fresh: fresh[0], old: old[0], crowded: fresh.length > 1 || old.length > 1 };
}
