import type { Node } from '../../generated/types/core-v1.ts';
import { simulateNodesOptions } from '../../options/simulate-nodes-options.ts';
import { apiRelease } from '../../server/system/version.ts';
import { createServingPair } from '../../server/tls/serving-authority.ts';
import { simulateNodes } from '../../simulation/simulate-nodes.ts';
import { readSimulatedNodes } from '../config/programs-config.ts';
import { oneController } from './one-controller.ts';
import type { Program } from './program.ts';

const NODE_ADDRESS = '127.0.0.1';

/** `binnacle simulate-nodes`: the agents of nodes that do not exist. */
export const simulatedNodes: Program<readonly Node[]> = {
  component: 'binnacle-simulate-nodes',
  configGroup: 'simulation.binnacle.io',
  options: simulateNodesOptions,
  readWork: (options) => readSimulatedNodes(options.string('simulated-nodes')),
  begin: (nodes, context) =>
    oneController(
      {
        name: 'simulated-nodes',
        create: (controller) =>
          simulateNodes(controller, {
            nodes,
            address: NODE_ADDRESS,
            kubeletVersion: `v${apiRelease.major}.${apiRelease.minor}.${apiRelease.patch}`,
            certificate: () => createServingPair([NODE_ADDRESS]),
          }),
      },
      context,
    ),
};
