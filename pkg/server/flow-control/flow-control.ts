import { resourceKey } from '../../api/resource.ts';
import { flowSchemas, priorityLevelConfigurations } from '../../api/flowcontrol/tokens.ts';
import type { ResourceStores } from '../resource-stores.ts';
import type { ResourceSizes } from './estimate-work.ts';
import { FlowController, type FlowControlObserver } from './flow-controller.ts';
import { FlowObjects } from './flow-objects.ts';

/** Between two adjustments of borrowing, milliseconds. */
const ADJUST_MS = 10_000;

export interface FlowControlOptions {
  readonly stores: ResourceStores;
  readonly totalSeats: number;
  readonly observer: FlowControlObserver;
  readonly onError: (error: unknown) => void;
}

/** Priority and fairness of a server: the controller, fed by the objects of the store. */
export class FlowControl implements ResourceSizes {
  readonly controller: FlowController;
  private readonly stores: ResourceStores;
  private readonly objects: FlowObjects;
  private timer: NodeJS.Timeout | undefined;

  constructor({ stores, totalSeats, observer, onError }: FlowControlOptions) {
    this.stores = stores;
    this.objects = new FlowObjects(
      stores.access(flowSchemas).cache,
      stores.access(priorityLevelConfigurations).cache,
      () => this.configure(),
      onError,
    );
    const later = (run: () => void, seconds: number): void => void setTimeout(run, seconds * 1000).unref();
    this.controller = new FlowController(
      { totalSeats, clock: () => performance.now() / 1000, later, observer },
      this.objects.flowSchemas(),
      this.objects.priorityLevels(),
    );
  }

  private configure(): void {
    this.controller.configure(this.objects.flowSchemas(), this.objects.priorityLevels());
  }

  start(): void {
    this.configure();
    this.timer = setInterval(() => this.controller.adjust(), ADJUST_MS).unref();
  }

  stop(): void {
    clearInterval(this.timer);
  }

  objectsOf(group: string, resource: string): number {
    return this.cacheOf(group, resource)?.size ?? 0;
  }

  watchersOf(group: string, resource: string, namespace: string): number {
    return this.cacheOf(group, resource)?.watchersOf(namespace) ?? 0;
  }

  private cacheOf(group: string, resource: string) {
    return this.stores.find(resourceKey({ group, resource }))?.cache;
  }
}
