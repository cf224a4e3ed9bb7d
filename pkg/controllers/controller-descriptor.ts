import type { Resource } from '../api/resource.ts';
import type { ControllerContext } from './controller-context.ts';
import type { Controller } from './controller.ts';
import type { ControllersConfig } from './controllers-config.ts';

/** One controller of the manager. */
export interface ControllerDescriptor {
  /** Of today's clusters: in `--controllers`, health checks and documents. */
  readonly name: string;
  /** Name of its service account in `kube-system`; undefined: it acts as the manager itself. */
  readonly account: string | undefined;
  /** Without these it has nothing to do: it waits until they are served. */
  readonly resources: readonly Resource[];
  /** Throws where the configuration leaves it nothing to work with; undefined: it is off. */
  readonly create: (context: ControllerContext, config: ControllersConfig) => Controller | undefined;
}
