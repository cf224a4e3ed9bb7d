import type { Node } from '../generated/types/core-v1.ts';
import { SIMULATED } from './simulated-node.ts';

const ZONES = ['zone-a', 'zone-b'];

/** The rest is reported by the agent. */
const STATUS: Partial<Node['status']> = { capacity: { cpu: '32', memory: '256Gi', pods: '110' } };

/** `count` nodes, in turns in two zones, with 32 CPUs and 256 Gi. */
export function defaultNodes(count: number): readonly Node[] {
  return Array.from({ length: count }, (_, i): Node => {
    const name = `node-${i + 1}`;
    return {
      metadata: {
        name,
        annotations: { [SIMULATED]: 'true' },
        labels: {
          'kubernetes.io/hostname': name,
          'kubernetes.io/os': 'linux',
          'kubernetes.io/arch': 'amd64',
          'topology.kubernetes.io/region': 'region-1',
          'topology.kubernetes.io/zone': ZONES[i % ZONES.length]!,
        },
      },
      spec: {},
      status: STATUS as Node['status'],
    };
  });
}
