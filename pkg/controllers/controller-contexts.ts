import { systemClock, type Clock } from '../apimachinery/clock.ts';
import { CoreEventRecorder } from '../client/events/core-event-recorder.ts';
import type { EventRecorder } from '../client/events/event-recorder.ts';
import { InformerFactory } from '../client/informer/informer-factory.ts';
import type { ObjectSources } from '../client/informer/object-source.ts';
import { reflectorSources, type ReflectorOptions } from '../client/informer/reflector.ts';
import type { Client } from '../client/rest/client.ts';
import type { QueueMetrics } from '../client/workqueue/queue-observer.ts';
import type { ControllerContext } from './controller-context.ts';
import { withoutMetrics, type ControllerMetrics } from './controller-metrics.ts';

export interface ControllerContextsOptions {
  /** The client of the controller of this name. */
  readonly clientOf: (controller: string) => Client;
  /** What informers follow objects by, for all controllers. */
  readonly sources: ObjectSources;
  /** Failures that controllers, informers and recorders go on after. */
  readonly onError: (error: unknown, where: string) => void;
  readonly queueMetrics?: QueueMetrics;
  /** Default: nothing is measured. */
  readonly metrics?: ControllerMetrics | undefined;
  /** Name of this program among several, in the events that it records. */
  readonly instance?: string;
  readonly clock?: Clock;
  /** For tests: a controller that changes an object of an informer throws. */
  readonly freezeObjects?: boolean;
}

/**
 * What the controllers of one process are made with: a client each, one informer per resource for all of them, one
 * event recorder per component.
 */
export class ControllerContexts {
  private readonly options: ControllerContextsOptions;
  private readonly clock: Clock;
  private readonly informers: InformerFactory;
  private readonly recorders = new Map<string, EventRecorder>();

  constructor(options: ControllerContextsOptions) {
    const { sources, onError, clock = systemClock, freezeObjects = false } = options;
    this.options = options;
    this.clock = clock;
    this.informers = new InformerFactory(sources, {
      report: (error) => onError(error, 'informers'),
      clock,
      freezeObjects,
    });
  }

  of(controller: string): ControllerContext {
    const { clientOf, queueMetrics, metrics = withoutMetrics, onError, sources } = this.options;
    const client = clientOf(controller);
    return {
      client,
      informers: this.informers,
      sources,
      clock: this.clock,
      ...(queueMetrics === undefined ? {} : { queueMetrics }),
      metrics,
      recorder: (component) => this.recorder(component, client),
      onError,
    };
  }

  /** Starts the informers that were requested since the last call. */
  startInformers(): void {
    this.informers.start();
  }

  /** After the controllers: resolves when nothing runs any more. Events that were not sent are dropped. */
  async stop(): Promise<void> {
    await Promise.all([this.informers.stop(), ...Array.from(this.recorders.values(), (recorder) => recorder.stop())]);
  }

  private recorder(component: string, client: Client): EventRecorder {
    let recorder = this.recorders.get(component);
    if (recorder === undefined) {
      const { instance, onError } = this.options;
      recorder = new CoreEventRecorder({
        client,
        source: { component, ...(instance === undefined ? {} : { instance }) },
        clock: this.clock,
        onError: (error) => onError(error, `events of ${component}`),
      });
      this.recorders.set(component, recorder);
    }
    return recorder;
  }
}

export interface ClientContextsOptions
  extends Omit<ControllerContextsOptions, 'sources' | 'clientOf'>, Pick<ReflectorOptions, 'streamingLists'> {
  /** Default: all controllers act by the one client. */
  readonly clientOf?: (controller: string) => Client;
}

/**
 * The contexts of a process of its own: informers list and watch through `client`. They begin with the newest state,
 * which has all that a leader before this one has written.
 */
export function clientContexts(client: Client, options: ClientContextsOptions): ControllerContexts {
  const { clientOf = () => client, streamingLists, onError, clock } = options;
  const sources = reflectorSources(client, {
    report: (error) => onError(error, 'informers'),
    newestFirst: true,
    ...(streamingLists === undefined ? {} : { streamingLists }),
    ...(clock === undefined ? {} : { clock }),
  });
  return new ControllerContexts({ ...options, sources, clientOf });
}
