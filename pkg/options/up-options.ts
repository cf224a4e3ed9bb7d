import { apiServerOptions } from './api-server-options.ts';
import { controllerManagerOptions } from './controller-manager-options.ts';
import type { Option } from './option.ts';
import { clusterOptions } from './rows/cluster.ts';

/** Every option of `up`: those of the API server, of the controllers, and of the rest of the cluster. */
export const upOptions: readonly Option[] = [
  ...apiServerOptions,
  ...clusterOptions,
  ...controllerManagerOptions.filter(({ components }) => components.includes('up')),
];
