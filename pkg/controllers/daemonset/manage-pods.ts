import { isNamespaceTerminating } from '../../apimachinery/errors/status-error.ts';
import { slowStart } from '../../client/reconcile/slow-start.ts';
import type { DaemonSet } from '../../generated/types/apps-v1.ts';
import type { Pod } from '../../generated/types/core-v1.ts';
import type { PodsByNode } from './node-pods.ts';
import { changesOnNode } from './pods-on-node.ts';
import type { DaemonSetSteps } from './steps.ts';

/** Pods that one reconcile creates or deletes at most. */
const BURST = 250;

export interface PodChanges {
  /** Nodes that get a pod. */
  readonly create: readonly string[];
  readonly doomed: readonly Pod[];
  /** Milliseconds until a failed pod may be deleted. */
  readonly waitMs?: number;
}

/** Where pods are missing or too many, apart from updates. Says in events which pods have ended. */
export function wantedChanges(set: DaemonSet, found: PodsByNode, hash: string, steps: DaemonSetSteps): PodChanges {
  const create: string[] = [];
  const doomed = found.stranded.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  let waitMs = Infinity;
  for (const node of found.nodes) {
    const changes = changesOnNode(set, node, hash, steps.nowMs());
    if (changes.create) create.push(node.name);
    doomed.push(...changes.doomed);
    for (const pod of changes.ended) {
      const failed = pod.status.phase === 'Failed';
      const leftMs = failed ? steps.backoffMs(node.name) : 0;
      waitMs = Math.min(waitMs, leftMs || Infinity);
      if (leftMs > 0) continue;
      reportEnded(pod, node.name, failed, steps);
      doomed.push(pod);
    }
  }
  return { create, doomed, ...(waitMs === Infinity ? {} : { waitMs }) };
}

/** Creates and deletes. Gives the first failure; the rest is still done. */
export async function applyChanges({ create, doomed }: PodChanges, hash: string, steps: DaemonSetSteps): Promise<void> {
  const { error } = await slowStart(Math.min(create.length, BURST), async (i) => {
    try {
      await steps.createPod(create[i]!, hash);
    } catch (failure) {
      // Nothing can be created there any more; what is there is deleted.
      if (!isNamespaceTerminating(failure)) throw failure;
    }
  });
  const results = await Promise.allSettled(doomed.slice(0, BURST).map((pod) => steps.deletePod(pod)));
  const failure: unknown = error ?? results.find((result) => result.status === 'rejected')?.reason;
  if (failure !== undefined) throw failure;
}

function reportEnded({ metadata }: Pod, node: string, failed: boolean, steps: DaemonSetSteps): void {
  const where = `daemon pod ${metadata.namespace}/${metadata.name} on node ${node}, will try to`;
  if (failed) steps.event('Warning', 'FailedDaemonPod', `Found failed ${where} kill it`);
  else steps.event('Normal', 'SucceededDaemonPod', `Found succeeded ${where} delete it`);
}
