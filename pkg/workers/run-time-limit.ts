/**
 * Bounds how long a task runs on its thread separately from how long it waits for one: only the thread knows when it
 * begins, and sets a mark in memory that both share.
 */

/** Eight shared bytes: when the task began, nanoseconds of the system's monotonic clock; 0 before. */
export type StartMark = SharedArrayBuffer;

/** The thread's first act on a task. */
export function markStarted(mark: StartMark): void {
  Atomics.store(new BigInt64Array(mark), 0, process.hrtime.bigint());
}

export interface RunTimeBounds {
  readonly waitMsMax: number;
  readonly runMsMax: number;
}

/** The bounds of one task, from its creation until `stop`. `signal` aborts when one is passed. */
export class RunTimeLimit {
  readonly mark: StartMark = new SharedArrayBuffer(8);
  /** The bound that was passed. */
  passed: 'waiting' | 'running' | undefined;
  private readonly controller = new AbortController();
  private readonly bounds: RunTimeBounds;
  private readonly createdNs = process.hrtime.bigint();
  private timer: NodeJS.Timeout;

  constructor(bounds: RunTimeBounds) {
    this.bounds = bounds;
    this.timer = this.lookIn(Math.min(bounds.waitMsMax, bounds.runMsMax));
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  stop(): void {
    clearTimeout(this.timer);
  }

  private lookIn(ms: number): NodeJS.Timeout {
    return setTimeout(() => this.look(), Math.max(1, Math.ceil(ms)));
  }

  private look(): void {
    const startedNs = Atomics.load(new BigInt64Array(this.mark), 0);
    const { waitMsMax, runMsMax } = this.bounds;
    const waiting = startedNs === 0n;
    const leftMs = waiting ? waitMsMax - msSince(this.createdNs) : runMsMax - msSince(startedNs);
    if (leftMs > 0) {
      // A task that waits may begin at any time: the next check is due before it could have run for too long.
      this.timer = this.lookIn(waiting ? Math.min(leftMs, runMsMax) : leftMs);
      return;
    }
    this.passed = waiting ? 'waiting' : 'running';
    this.controller.abort();
  }
}

function msSince(ns: bigint): number {
  return Number(process.hrtime.bigint() - ns) / 1e6;
}
