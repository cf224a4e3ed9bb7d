import type { ApiObject } from '../apimachinery/meta/object.ts';
import type { Handler } from '../client/workqueue/run-workers.ts';
import { WorkQueue } from '../client/workqueue/work-queue.ts';
import type { ControllerContext, FollowedObjects, HandlerPlace } from './controller-context.ts';
import type { Controller } from './controller.ts';

export interface QueueControllerOptions {
  readonly name: string;
  /** Keys that are worked on at once. */
  readonly workers: number;
  /** Brings one key to its wanted state; what it throws is reported, and the key comes again after a backoff. */
  readonly reconcile: Handler;
}

/**
 * A controller with one queue: handlers of informers put keys into it, workers reconcile them. Workers begin when every
 * handler has seen the first list, so that nobody acts on half of the objects.
 */
export class QueueController implements Controller {
  readonly name: string;
  readonly queue: WorkQueue;
  private readonly context: ControllerContext;
  private readonly options: QueueControllerOptions;
  private readonly follows: ((place: (added: HandlerPlace) => void) => void)[] = [];
  private places: HandlerPlace[] = [];
  private working: Promise<void> | undefined;

  constructor(context: ControllerContext, options: QueueControllerOptions) {
    this.name = options.name;
    this.context = context;
    this.options = options;
    this.queue = new WorkQueue({ name: options.name, clock: context.clock, metrics: context.queueMetrics });
  }

  /** Before the start: queues the keys that concern an object whenever it is added, changed or deleted. */
  follow<T extends ApiObject>(objects: FollowedObjects<T>, keysOf: (object: T) => readonly string[]): void {
    const enqueue = (object: T): void => keysOf(object).forEach((key) => this.queue.add(key));
    this.follows.push((place) =>
      place(
        objects.addHandler({
          onAdd: enqueue,
          // The old state too: what it concerned may be somebody else than what the new one does.
          onUpdate: (old, current) => {
            enqueue(old);
            enqueue(current);
          },
          onDelete: enqueue,
        }),
      ),
    );
  }

  async start(): Promise<void> {
    this.leavePlaces();
    for (const follow of this.follows) follow((place) => this.places.push(place));
    const synced = await Promise.all(this.places.map((place) => place.whenSynced()));
    if (!synced.every(Boolean)) throw new Error(`${this.name}: stopped before it saw the objects that it follows`);
    const { workers, reconcile } = this.options;
    const onError = (error: unknown, key: string): void => this.context.onError(error, `${this.name} ${key}`);
    this.working ??= this.queue.run(workers, reconcile, { onError });
  }

  async stop(): Promise<void> {
    this.leavePlaces();
    this.queue.shutdown();
    await this.working;
  }

  healthy(): boolean {
    return this.working !== undefined && !this.queue.shuttingDown;
  }

  private leavePlaces(): void {
    for (const place of this.places.splice(0)) place.remove();
  }
}
