import { controllerManagerOptions } from '../../pkg/options/controller-manager-options.ts';
import { controllerNames } from '../../pkg/options/controller-names.ts';
import { runProgramCommand } from './run-program.ts';

const names = controllerNames.map(
  ({ name, alias, onByDefault }) => `  ${name} (also ${alias}${onByDefault ? '' : ', off by default'})\n`,
);

/** Runs the controllers of a cluster beside its API servers. */
export function controllerManager(args: readonly string[]): Promise<number> {
  return runProgramCommand(
    {
      component: 'controller-manager',
      heap: 'manager',
      options: controllerManagerOptions,
      usage:
        'Usage: binnacle controller-manager [options]\n\nRuns the controllers of a cluster; of several one works, the others wait.',
      more: `\nControllers of --controllers:\n${names.join('')}`,
      load: async () => (await import('../../pkg/controlplane/programs/controller-manager.ts')).controllerManager,
    },
    args,
  );
}
