import type { Resource } from '../api/resource.ts';
import { sleep, type Clock } from '../apimachinery/clock.ts';
import type { ControllerDescriptor } from '../controllers/controller-descriptor.ts';
import type { ControllersConfig } from '../controllers/controllers-config.ts';
import type { Controller } from '../controllers/controller.ts';
import { startControllers, type ContextSource, type RunningControllers } from '../controllers/start-controllers.ts';

/** Which resources the API server has; it may get more, and lose some. */
export interface ServedResources {
  isServed(resource: Resource): boolean;
  /** Calls back after each change; the returned function ends that. */
  onChange(callback: () => void): () => void;
}

export interface RunControllersOptions {
  readonly descriptors: readonly ControllerDescriptor[];
  readonly config: ControllersConfig;
  readonly contexts: ContextSource;
  readonly served: ServedResources;
  readonly clock: Clock;
  /** `--controller-start-interval`: time between the starts of two of them. Default: none. */
  readonly startIntervalMs?: number;
  readonly onError: (error: unknown, where: string) => void;
}

export interface ManagedControllers {
  /** By name, whether it works; those that wait for a resource, and those that are off, are left out. */
  health(): ReadonlyMap<string, boolean>;
  /** Resolves when each that could be started has worked once on what there was. */
  settled(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Starts every controller whose resources are served, and the others when theirs are. Each stands alone: what fails
 * in one holds up no other.
 */
export function runControllers(options: RunControllersOptions): ManagedControllers {
  const { descriptors, config, contexts, served, clock, startIntervalMs = 0, onError } = options;
  const running = new Map<string, RunningControllers>();
  const off = new Set<string>();
  const stopping = new AbortController();
  const start = ({ name, create }: ControllerDescriptor): void => {
    const factory = {
      name,
      create: (context: Parameters<typeof create>[0]): Controller => {
        const controller = create(context, config);
        if (controller === undefined) off.add(name);
        return controller ?? idleController(name);
      },
    };
    running.set(name, startControllers([factory], contexts, { clock, onError }));
  };
  const next = (): ControllerDescriptor | undefined =>
    descriptors.find(
      ({ name, resources }) => !running.has(name) && resources.every((resource) => served.isServed(resource)),
    );
  const startServed = async (): Promise<void> => {
    for (let found = next(); found !== undefined && !stopping.signal.aborted; found = next()) {
      if (startIntervalMs > 0 && running.size > 0) await sleep(clock, startIntervalMs, stopping.signal);
      if (!stopping.signal.aborted && !running.has(found.name)) start(found);
    }
  };
  let starting = startServed();
  const leave = served.onChange(() => {
    starting = starting.then(startServed);
  });
  return {
    health: () => new Map([...running.values()].flatMap((one) => [...one.health()]).filter(([name]) => !off.has(name))),
    settled: async () => {
      await starting;
      await Promise.all(Array.from(running.values(), (one) => one.settled()));
    },
    async stop() {
      stopping.abort();
      leave();
      await Promise.all(Array.from(running.values(), (one) => one.stop()));
    },
  };
}

/** Stands for a controller that the configuration turns off. */
function idleController(name: string): Controller {
  const done = (): Promise<void> => Promise.resolve();
  return { name, start: done, settled: done, stop: done, healthy: () => true };
}
