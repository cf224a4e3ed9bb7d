import { systemClock, type Clock } from '../../apimachinery/clock.ts';
import { TransientMap } from '../../apimachinery/collections/transient-map.ts';
import { DelayedKeys } from './delayed-keys.ts';
import { KeyFifo } from './key-fifo.ts';
import { withoutQueueMetrics, type MeasuredQueue, type QueueMetrics, type QueueObserver } from './queue-observer.ts';
import { defaultRateLimiter, type RateLimiter } from './rate-limiter.ts';
import { runWorkers, type Handler, type WorkerOptions } from './run-workers.ts';

export interface WorkQueueOptions {
  /** Label `name` of the metrics. */
  readonly name: string;
  readonly clock?: Clock;
  readonly metrics?: QueueMetrics;
  readonly rateLimiter?: RateLimiter;
}

/**
 * The keys that a controller has to work on, in the order in which they came.
 *
 * A key waits once, however often it is added. It is worked on by one worker at a time: what is added while it is in
 * work waits until `done`. A key that failed comes back after a wait of its own (`addRateLimited`), until `forget`.
 */
export class WorkQueue implements MeasuredQueue {
  readonly name: string;
  readonly clock: Clock;
  private readonly observer: QueueObserver;
  private readonly rateLimiter: RateLimiter;
  private readonly delayed: DelayedKeys;
  private readonly waiting = new KeyFifo();
  /** Keys that are to be worked on, with the time of their adding; also those that are in work meanwhile. */
  private readonly dirty = new TransientMap<number>();
  /** Keys in work, with the time of their taking. */
  private readonly processing = new TransientMap<number>();
  private idleWorkers: ((key: string | undefined) => void)[] = [];
  private drainers: (() => void)[] = [];
  private isShutDown = false;

  constructor({ name, clock = systemClock, metrics = withoutQueueMetrics, rateLimiter }: WorkQueueOptions) {
    this.name = name;
    this.clock = clock;
    this.rateLimiter = rateLimiter ?? defaultRateLimiter(clock);
    this.delayed = new DelayedKeys(clock, (key) => this.add(key));
    this.observer = metrics.opened(this);
  }

  get length(): number {
    return this.waiting.length;
  }

  get shuttingDown(): boolean {
    return this.isShutDown;
  }

  add(key: string): void {
    if (this.isShutDown || this.dirty.get(key) !== undefined) return;
    this.observer.added();
    this.dirty.set(key, this.clock.steadyMs());
    if (this.processing.get(key) === undefined) this.offer(key);
  }

  /** Adds the key after so many milliseconds; of several times the earliest counts. */
  addAfter(key: string, delayMs: number): void {
    if (this.isShutDown) return;
    this.observer.retried();
    if (delayMs > 0) this.delayed.add(key, delayMs);
    else this.add(key);
  }

  addRateLimited(key: string): void {
    if (!this.isShutDown) this.addAfter(key, this.rateLimiter.when(key));
  }

  forget(key: string): void {
    this.rateLimiter.forget(key);
  }

  numRequeues(key: string): number {
    return this.rateLimiter.numRequeues(key);
  }

  /**
   * Resolves with the next key, which is in work until `done`; with undefined when the queue is shut down and empty.
   */
  get(): Promise<string | undefined> {
    const key = this.waiting.take();
    if (key !== undefined) return Promise.resolve(this.begin(key));
    if (this.isShutDown) return Promise.resolve(undefined);
    return new Promise((resolve) => this.idleWorkers.push(resolve));
  }

  done(key: string): void {
    const startMs = this.processing.get(key);
    if (startMs === undefined) return;
    this.processing.delete(key);
    this.observer.worked((this.clock.steadyMs() - startMs) / 1000);
    if (this.dirty.get(key) !== undefined) this.offer(key);
    this.reportDrained();
  }

  /** Takes no more keys, and drops those that are delayed. Workers get what waits already, then undefined. */
  shutdown(): void {
    this.isShutDown = true;
    this.delayed.clear();
    const idle = this.idleWorkers;
    this.idleWorkers = [];
    for (const resolve of idle) resolve(undefined);
  }

  /** As `shutdown`; resolves when all keys that waited or were in work are done. Needs workers. */
  shutdownWithDrain(): Promise<void> {
    this.shutdown();
    return this.idle();
  }

  /** Works on the keys with so many workers at once; resolves when the queue is shut down and they have ended. */
  run(workers: number, handler: Handler, options: WorkerOptions): Promise<void> {
    return runWorkers(this, workers, handler, options);
  }

  /** Resolves when no key waits or is in work; those that are delayed do not count. */
  idle(): Promise<void> {
    return new Promise((resolve) => {
      this.drainers.push(resolve);
      this.reportDrained();
    });
  }

  unfinishedSeconds(): number {
    return this.secondsInWork().reduce((sum, seconds) => sum + seconds, 0);
  }

  longestRunningSeconds(): number {
    return Math.max(0, ...this.secondsInWork());
  }

  private secondsInWork(): number[] {
    const nowMs = this.clock.steadyMs();
    return this.processing.keys().map((key) => (nowMs - this.processing.get(key)!) / 1000);
  }

  private offer(key: string): void {
    const worker = this.idleWorkers.shift();
    if (worker === undefined) this.waiting.push(key);
    else worker(this.begin(key));
  }

  private begin(key: string): string {
    const nowMs = this.clock.steadyMs();
    this.observer.waited((nowMs - (this.dirty.get(key) ?? nowMs)) / 1000);
    this.dirty.delete(key);
    this.processing.set(key, nowMs);
    return key;
  }

  private reportDrained(): void {
    if (this.drainers.length === 0 || this.waiting.length > 0 || this.processing.size > 0) return;
    const drainers = this.drainers;
    this.drainers = [];
    for (const resolve of drainers) resolve();
  }
}
