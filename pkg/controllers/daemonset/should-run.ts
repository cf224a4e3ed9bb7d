import { requiredNodeMatcher } from '../../api/core/node/match-node.ts';
import { untoleratedTaint } from '../../api/core/pod-spec/tolerates.ts';
import type { DaemonSet } from '../../generated/types/apps-v1.ts';
import type { Node } from '../../generated/types/core-v1.ts';
import { daemonTolerations } from './daemon-pod.ts';

/** What a set wants of a node. */
export interface NodeWish {
  /** A pod is to be there. */
  readonly run: boolean;
  /** A pod that is there may stay. */
  readonly stay: boolean;
}

const NOWHERE: NodeWish = { run: false, stay: false };

/** Compiled once for all nodes: node name, selector, affinity and taints decide, resources do not. */
export function nodeWishes({ spec }: DaemonSet): (node: Node) => NodeWish {
  const podSpec = spec.template.spec ?? { containers: [] };
  const matches = requiredNodeMatcher(podSpec);
  const tolerations = daemonTolerations(podSpec);
  return (node) => {
    if (podSpec.nodeName && podSpec.nodeName !== node.metadata.name) return NOWHERE;
    if (!matches(node)) return NOWHERE;
    const taints = node.spec.taints ?? [];
    const isFree = (...effects: string[]): boolean => untoleratedTaint(taints, tolerations, effects) === undefined;
    return { run: isFree('NoSchedule', 'NoExecute'), stay: isFree('NoExecute') };
  };
}
