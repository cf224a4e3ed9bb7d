import { controllerManagerOptions } from './controller-manager-options.ts';
import { ofProgram } from './program-options.ts';

/** Every option of the scheduler. */
export const schedulerOptions = ofProgram('scheduler', controllerManagerOptions, {
  'secure-port': '10259',
  port: '0',
  'leader-elect-resource-name': 'kube-scheduler',
  'cluster-api-qps': '50',
  'cluster-api-burst': '100',
});
