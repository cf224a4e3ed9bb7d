import { controllerManagerOptions } from '../../pkg/options/controller-manager-options.ts';
import { schedulerOptions } from '../../pkg/options/scheduler-options.ts';
import { simulateNodesOptions } from '../../pkg/options/simulate-nodes-options.ts';
import type { ProgramReference } from './options-reference.ts';

/** The programs beside an API server, in the order of the reference. */
export const programs: readonly ProgramReference[] = [
  { component: 'controller-manager', options: controllerManagerOptions },
  { component: 'scheduler', options: schedulerOptions },
  { component: 'simulate-nodes', options: simulateNodesOptions },
];
