import { controllerManagerOptions } from './controller-manager-options.ts';
import type { Option } from './option.ts';
import { ofProgram } from './program-options.ts';
import { clusterOptions } from './rows/cluster.ts';

/** Every option of the program that simulates nodes. */
export const simulateNodesOptions: readonly Option[] = [
  ...clusterOptions
    .filter(({ name }) => name === 'simulated-nodes')
    .map((row): Option => ({ ...row, components: ['simulate-nodes'] })),
  ...ofProgram('simulate-nodes', controllerManagerOptions, {
    'secure-port': '0',
    port: '0',
    'leader-elect-resource-name': 'binnacle-simulate-nodes',
    'cluster-api-qps': '500',
    'cluster-api-burst': '1000',
  }),
];
