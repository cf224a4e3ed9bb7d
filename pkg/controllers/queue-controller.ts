import { isAlreadyExists, isConflict, isNotFound } from '../apimachinery/errors/status-error.ts';
import type { ApiObject } from '../apimachinery/meta/object.ts';
import type { RateLimiter } from '../client/workqueue/rate-limiter.ts';
import type { Handler } from '../client/workqueue/run-workers.ts';
import { WorkQueue } from '../client/workqueue/work-queue.ts';
import type { ControllerContext, FollowedObjects, HandlerPlace, ObjectHandler } from './controller-context.ts';
import type { Controller } from './controller.ts';

export interface QueueControllerOptions {
  readonly name: string;
  /** Keys that are worked on at once. */
  readonly workers: number;
  /**
   * Brings one key to its wanted state. A number that it returns is the milliseconds after which the key comes back:
   * periodic work. What it throws is reported, and the key comes again after a backoff.
   */
  readonly reconcile: Handler;
  /** Keys to begin with, besides those of the objects that are followed, which are known by then. */
  readonly firstKeys?: readonly string[] | (() => readonly string[]);
  /** How long keys wait that failed. Default: as stock controllers. */
  readonly rateLimiter?: RateLimiter;
  /** Runs when the controller has worked and stops, after its workers. */
  readonly onStop?: () => Promise<void>;
}

export interface FollowOptions {
  /** Keys of changes are gathered for so long. Default: not at all. */
  readonly delayMs?: number;
}

/**
 * Who acts by a cache that lags behind writes what is there already, or no longer; the next attempts see it. So many
 * failures in a row are something else.
 */
const QUIET_FAILURES = 5;

/**
 * What is wrong with an object of a user, which its status and events already say. Thrown by a reconcile, it has the
 * key tried again and is not reported.
 */
export class KnownProblem extends Error {}

/**
 * A controller with one queue: handlers of informers put keys into it, workers reconcile them. Workers begin when every
 * handler has seen the first list, so that none acts on half of the objects.
 */
export class QueueController implements Controller {
  readonly name: string;
  readonly queue: WorkQueue;
  private readonly context: ControllerContext;
  private readonly options: QueueControllerOptions;
  private readonly follows: (() => HandlerPlace)[] = [];
  private places: HandlerPlace[] = [];
  private working: Promise<void> | undefined;

  constructor(context: ControllerContext, options: QueueControllerOptions) {
    const { name, rateLimiter } = options;
    this.name = name;
    this.context = context;
    this.options = options;
    this.queue = new WorkQueue({
      name,
      clock: context.clock,
      metrics: context.queueMetrics,
      ...(rateLimiter === undefined ? {} : { rateLimiter }),
    });
  }

  /** Before the start: calls a handler of the controller's own, which queues keys. */
  handle<T extends ApiObject>(objects: FollowedObjects<T>, handler: ObjectHandler<T>): void {
    this.follows.push(() => objects.addHandler(handler));
  }

  /**
   * Before the start: queues the keys that concern an object whenever it is added, changed or deleted. No keys: the
   * controller only reads the objects, and waits for the first list of them.
   */
  follow<T extends ApiObject>(
    objects: FollowedObjects<T>,
    keysOf: (object: T) => readonly string[],
    { delayMs = 0 }: FollowOptions = {},
  ): void {
    const add = (key: string): void => (delayMs > 0 ? this.queue.addAfter(key, delayMs) : this.queue.add(key));
    const enqueue = (object: T): void => keysOf(object).forEach(add);
    this.follows.push(() =>
      objects.addHandler({
        onAdd: enqueue,
        // The old state may have concerned other keys. The same key twice would be worked on twice by idle workers.
        onUpdate: (old, current) => {
          const [keys, before] = [keysOf(current), keysOf(old)];
          if (before.length === 0 || (before.length === 1 && keys.length === 1 && before[0] === keys[0]))
            keys.forEach(add);
          else new Set([...keys, ...before]).forEach((key) => add(key));
        },
        onDelete: enqueue,
      }),
    );
  }

  async start(): Promise<void> {
    this.leavePlaces();
    for (const follow of this.follows) this.places.push(follow());
    const synced = await Promise.all(this.places.map((place) => place.whenSynced()));
    if (this.queue.shuttingDown || !synced.every(Boolean))
      throw new Error(`${this.name}: stopped before it saw the objects that it follows`);
    const { workers, reconcile, firstKeys = [] } = this.options;
    for (const key of typeof firstKeys === 'function' ? firstKeys() : firstKeys) this.queue.add(key);
    this.working ??= this.queue.run(workers, reconcile, { onError: (error, key) => this.report(error, key) });
  }

  settled(): Promise<void> {
    return this.queue.idle();
  }

  async stop(): Promise<void> {
    this.leavePlaces();
    this.queue.shutdown();
    if (this.working === undefined) return;
    await this.working;
    await this.options.onStop?.();
  }

  healthy(): boolean {
    return this.working !== undefined && !this.queue.shuttingDown;
  }

  private report(error: unknown, key: string): void {
    if (error instanceof KnownProblem) return;
    const isLag = isConflict(error) || isAlreadyExists(error) || isNotFound(error);
    if (isLag && this.queue.numRequeues(key) < QUIET_FAILURES) return;
    this.context.onError(error, `${this.name} ${key}`);
  }

  private leavePlaces(): void {
    for (const place of this.places.splice(0)) place.remove();
  }
}
