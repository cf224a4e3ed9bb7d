import type { Node } from '../../generated/types/core-v1.ts';

const OUT_OF_SERVICE = 'node.kubernetes.io/out-of-service';

export function isNodeReady({ status }: Node): boolean {
  return status.conditions?.some((condition) => condition.type === 'Ready' && condition.status === 'True') === true;
}

/** Whether an operator said that the node is down for good: its pods, and what is attached there, are free to go. */
export function isOutOfService({ spec }: Node): boolean {
  return spec.taints?.some(({ key }) => key === OUT_OF_SERVICE) === true;
}
