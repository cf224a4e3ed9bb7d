import type { Node } from '../../generated/types/core-v1.ts';
import { isNodeReady } from '../owned/node-state.ts';

const EXCLUDED = 'node.kubernetes.io/exclude-from-external-load-balancers';
const GOING = 'ToBeDeletedByClusterAutoscaler';

/** Whether load balancers send to a node: it is ready, stays, and is not excluded. */
export function isBalancerNode(node: Node): boolean {
  const { metadata, spec } = node;
  return (
    metadata.labels?.[EXCLUDED] === undefined &&
    metadata.deletionTimestamp === undefined &&
    !(spec.taints ?? []).some(({ key }) => key === GOING) &&
    isNodeReady(node)
  );
}
