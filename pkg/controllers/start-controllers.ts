import { sleep, type Clock } from '../apimachinery/clock.ts';
import type { ControllerContext } from './controller-context.ts';
import type { Controller } from './controller.ts';

const RETRY_MS = 1000;
const RETRY_MAX_MS = 60_000;

/** Where controllers get what they are made with: `ControllerContexts`. */
export interface ContextSource {
  of(controller: string): ControllerContext;
  startInformers(): void;
}

export interface StartControllersOptions {
  readonly clock: Clock;
  readonly onError: (error: unknown, where: string) => void;
  /** Called once for each controller that has seen the objects that it follows, and works. */
  readonly onStarted?: (name: string) => void;
}

export interface RunningControllers {
  /** By name, whether it works. */
  health(): ReadonlyMap<string, boolean>;
  /** Resolves when each has worked once on what there was at its start, or could not be started at first. */
  settled(): Promise<void>;
  stop(): Promise<void>;
}

/** Makes a controller; what it throws is tried again. */
export interface ControllerFactory {
  readonly name: string;
  readonly create: (context: ControllerContext) => Controller;
}

/**
 * Starts controllers side by side. One that cannot be made or started, or hangs, holds up no other: it is reported and
 * tried again, each time after twice as long, so that what it misses may still appear.
 */
export function startControllers(
  factories: readonly ControllerFactory[],
  contexts: ContextSource,
  { clock, onError, onStarted }: StartControllersOptions,
): RunningControllers {
  const stopping = new AbortController();
  const controllers = new Map<string, Controller>();
  const attempt = async ({ name, create }: ControllerFactory): Promise<boolean> => {
    try {
      const controller = controllers.get(name) ?? create(contexts.of(name));
      controllers.set(name, controller);
      // All are made before the first informer starts, which then need not index what it has once more.
      await Promise.resolve();
      contexts.startInformers();
      await controller.start();
      if (!stopping.signal.aborted) onStarted?.(name);
      return true;
    } catch (error) {
      if (!stopping.signal.aborted) onError(error, name);
      return false;
    }
  };
  const keepTrying = async (factory: ControllerFactory): Promise<void> => {
    for (let waitMs = RETRY_MS; !stopping.signal.aborted; waitMs = Math.min(RETRY_MAX_MS, waitMs * 2)) {
      await sleep(clock, waitMs, stopping.signal);
      if (stopping.signal.aborted || (await attempt(factory))) return;
    }
  };
  const first = factories.map(async (factory) => {
    const works = await attempt(factory);
    if (works) await controllers.get(factory.name)!.settled();
    else void keepTrying(factory);
  });
  return {
    health: () => new Map(factories.map(({ name }) => [name, controllers.get(name)?.healthy() ?? false])),
    settled: async () => void (await Promise.all(first)),
    async stop() {
      stopping.abort();
      await Promise.all(
        [...controllers].map(([name, controller]) => controller.stop().catch((error: unknown) => onError(error, name))),
      );
    },
  };
}
