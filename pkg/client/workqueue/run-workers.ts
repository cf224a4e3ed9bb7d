import { backgroundWork } from '../../apimachinery/background-work.ts';

/**
 * Works on one key. Returns the milliseconds after which the key is to come again, or nothing: it is done with then.
 * A handler that throws or rejects is reported, and its key comes again after its backoff.
 */
export type Handler = (key: string) => number | void | Promise<number | void>;

/** What workers need of a queue. */
export interface WorkedQueue {
  get(): Promise<string | undefined>;
  done(key: string): void;
  forget(key: string): void;
  addAfter(key: string, delayMs: number): void;
  addRateLimited(key: string): void;
}

export interface WorkerOptions {
  /** Called with each failure; the key comes again. */
  readonly onError: (error: unknown, key: string) => void;
}

export async function runWorkers(
  queue: WorkedQueue,
  workers: number,
  handler: Handler,
  { onError }: WorkerOptions,
): Promise<void> {
  await Promise.all(Array.from({ length: workers }, () => work(queue, handler, onError)));
}

async function work(queue: WorkedQueue, handler: Handler, onError: WorkerOptions['onError']): Promise<void> {
  for (let key = await queue.get(); key !== undefined; key = await queue.get()) {
    await workOn(queue, key, handler, onError);
    // A handler may never wait.
    const turn = backgroundWork.begin();
    if (turn !== undefined) await turn;
  }
}

async function workOn(
  queue: WorkedQueue,
  key: string,
  handler: Handler,
  onError: WorkerOptions['onError'],
): Promise<void> {
  try {
    const againMs = await handler(key);
    queue.forget(key);
    if (typeof againMs === 'number') queue.addAfter(key, againMs);
  } catch (error) {
    report(onError, error, key);
    queue.addRateLimited(key);
  } finally {
    queue.done(key);
  }
}

/** A report that fails must not end its worker. */
function report(onError: WorkerOptions['onError'], error: unknown, key: string): void {
  try {
    onError(error, key);
  } catch (failure) {
    process.emitWarning(`reporting the failure of ${key} failed: ${String(failure)}`);
  }
}
