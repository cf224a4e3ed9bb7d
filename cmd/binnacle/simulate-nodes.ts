import { simulateNodesOptions } from '../../pkg/options/simulate-nodes-options.ts';
import { runProgramCommand } from './run-program.ts';

/** Simulates nodes and what runs on them. */
export function simulateNodes(args: readonly string[]): Promise<number> {
  return runProgramCommand(
    {
      component: 'simulate-nodes',
      options: simulateNodesOptions,
      usage:
        'Usage: binnacle simulate-nodes [options]\n\nSimulates nodes, and the nodes that ask for it by an annotation, with their pods.',
      load: async () => (await import('../../pkg/controlplane/programs/simulated-nodes.ts')).simulatedNodes,
    },
    args,
  );
}
