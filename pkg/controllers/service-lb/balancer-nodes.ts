import type { Node } from '../../generated/types/core-v1.ts';

const EXCLUDED = 'node.kubernetes.io/exclude-from-external-load-balancers';
const GOING = 'ToBeDeletedByClusterAutoscaler';

/** Whether load balancers send to a node: it is ready, stays, and is not excluded. */
export function isBalancerNode({ metadata, spec, status }: Node): boolean {
  return (
    metadata.labels?.[EXCLUDED] === undefined &&
    metadata.deletionTimestamp === undefined &&
    !(spec.taints ?? []).some(({ key }) => key === GOING) &&
    status.conditions?.some((condition) => condition.type === 'Ready' && condition.status === 'True') === true
  );
}
