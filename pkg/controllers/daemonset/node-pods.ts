import type { DaemonSet } from '../../generated/types/apps-v1.ts';
import type { Node, Pod } from '../../generated/types/core-v1.ts';
import { targetNode } from './daemon-pod.ts';
import { nodeWishes, type NodeWish } from './should-run.ts';

/** One node, what the set wants of it, and the pods that it has there, oldest first. */
export interface NodePods {
  readonly name: string;
  readonly wish: NodeWish;
  readonly pods: readonly Pod[];
}

export interface PodsByNode {
  readonly nodes: readonly NodePods[];
  /** Pods that wait for a node that is not there. */
  readonly stranded: readonly Pod[];
}

/** Pods by the node that they are on or made for. Ended pods that are being deleted count no more. */
export function podsByNode(set: DaemonSet, nodes: readonly Node[], pods: readonly Pod[]): PodsByNode {
  const byNode = new Map<string, Pod[]>(nodes.map(({ metadata }) => [metadata.name!, []]));
  const stranded: Pod[] = [];
  for (const pod of pods) {
    if (isGoing(pod)) continue;
    const onNode = byNode.get(targetNode(pod) ?? '');
    if (onNode !== undefined) onNode.push(pod);
    else if (!pod.spec.nodeName && targetNode(pod) !== undefined) stranded.push(pod);
  }
  const wishOf = nodeWishes(set);
  const entries = nodes.map((node) => {
    const name = node.metadata.name!;
    return { name, wish: wishOf(node), pods: (byNode.get(name) ?? []).sort(olderFirst) };
  });
  return { nodes: entries, stranded };
}

function isGoing({ metadata, status }: Pod): boolean {
  return metadata.deletionTimestamp !== undefined && (status.phase === 'Failed' || status.phase === 'Succeeded');
}

/** Pods that have their node already come first. */
function olderFirst(a: Pod, b: Pod): number {
  const isWaiting = (pod: Pod): number => (pod.spec.nodeName ? 0 : 1);
  const created = ({ metadata }: Pod): number => Date.parse(metadata.creationTimestamp ?? '') || 0;
  return isWaiting(a) - isWaiting(b) || created(a) - created(b) || (a.metadata.name! < b.metadata.name! ? -1 : 1);
}
