import { sleep, type Clock } from '../apimachinery/clock.ts';
import type { Controller } from './controller.ts';

const RETRY_MS = 1000;
const RETRY_MAX_MS = 60_000;

export interface StartControllersOptions {
  readonly clock: Clock;
  readonly onError: (error: unknown, where: string) => void;
}

export interface RunningControllers {
  /** By name, whether it works. */
  health(): ReadonlyMap<string, boolean>;
  stop(): Promise<void>;
}

/** Makes a controller; what it throws is tried again. */
export interface ControllerFactory {
  readonly name: string;
  readonly create: () => Controller;
}

/**
 * Starts controllers side by side. One that cannot be made or started, or hangs, holds up no other: it is reported and
 * tried again, each time after twice as long, so that what it misses may still appear.
 */
export function startControllers(
  factories: readonly ControllerFactory[],
  { clock, onError }: StartControllersOptions,
): RunningControllers {
  const stopping = new AbortController();
  const controllers = new Map<string, Controller>();
  const attempt = async ({ name, create }: ControllerFactory): Promise<boolean> => {
    try {
      const controller = controllers.get(name) ?? create();
      controllers.set(name, controller);
      await controller.start();
      return true;
    } catch (error) {
      if (!stopping.signal.aborted) onError(error, name);
      return false;
    }
  };
  for (const factory of factories) {
    void (async () => {
      let waitMs = RETRY_MS;
      while (!stopping.signal.aborted && !(await attempt(factory))) {
        await sleep(clock, waitMs, stopping.signal);
        waitMs = Math.min(RETRY_MAX_MS, waitMs * 2);
      }
    })();
  }
  return {
    health: () => new Map(factories.map(({ name }) => [name, controllers.get(name)?.healthy() ?? false])),
    async stop() {
      stopping.abort();
      await Promise.all(
        [...controllers].map(([name, controller]) => controller.stop().catch((error: unknown) => onError(error, name))),
      );
    },
  };
}
