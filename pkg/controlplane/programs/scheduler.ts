import { schedulerOptions } from '../../options/scheduler-options.ts';
import { createScheduler } from '../../scheduler/create-scheduler.ts';
import { oneController } from './one-controller.ts';
import type { Program } from './program.ts';

/** `binnacle scheduler`: gives pods to nodes. */
export const scheduler: Program<undefined> = {
  component: 'default-scheduler',
  configGroup: 'kubescheduler.config.k8s.io',
  options: schedulerOptions,
  readWork: () => undefined,
  begin: (_config, context) =>
    oneController({ name: 'scheduler', create: (controller) => createScheduler(controller) }, context),
};
