import { Quantity } from '../../../../apimachinery/values/quantity.ts';
import type { Service } from '../../../../generated/types/core-v1.ts';
import type { QuotaEvaluator } from './evaluator.ts';
import { ONE } from './object-count-evaluator.ts';

const ZERO = Quantity.zero();
const NAMES = new Set(['count/services', 'services', 'services.nodeports', 'services.loadbalancers']);

/** Counts services, their node ports and their load balancers. */
export const serviceEvaluator: QuotaEvaluator<Service> = {
  operations: ['CREATE', 'UPDATE'],
  counts: (name) => NAMES.has(name),
  usage({ spec }) {
    return new Map([
      ['count/services', ONE],
      ['services', ONE],
      ['services.nodeports', Quantity.fromInteger(nodePorts(spec))],
      ['services.loadbalancers', spec.type === 'LoadBalancer' ? ONE : ZERO],
    ]);
  },
};

function nodePorts({ type, ports = [], allocateLoadBalancerNodePorts }: Service['spec']): number {
  if (type === 'NodePort') return ports.length;
  if (type !== 'LoadBalancer') return 0;
  // Without allocation only the ports that the service requests count.
  return allocateLoadBalancerNodePorts === false
    ? ports.filter(({ nodePort }) => Boolean(nodePort)).length
    : ports.length;
}
