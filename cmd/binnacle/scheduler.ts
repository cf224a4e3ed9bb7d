import { schedulerOptions } from '../../pkg/options/scheduler-options.ts';
import { runProgramCommand } from './run-program.ts';

/** Gives the pods of a cluster to its nodes. */
export function scheduler(args: readonly string[]): Promise<number> {
  return runProgramCommand(
    {
      component: 'scheduler',
      options: schedulerOptions,
      usage:
        'Usage: binnacle scheduler [options]\n\nGives pods to nodes; of several schedulers one works, the others wait.',
      load: async () => (await import('../../pkg/controlplane/programs/scheduler.ts')).scheduler,
    },
    args,
  );
}
