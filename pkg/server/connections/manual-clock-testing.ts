import type { Wait } from './paced-stream.ts';

/** For tests: a clock that advances only when the test says so, with its timers. */
export class ManualClock {
  private now = 0;
  private waiting: { readonly dueMs: number; readonly run: () => void }[] = [];

  readonly nowMs = (): number => this.now;

  readonly wait: Wait = (ms, then) => {
    const entry = { dueMs: this.now + ms, run: then };
    this.waiting.push(entry);
    return () => {
      this.waiting = this.waiting.filter((other) => other !== entry);
    };
  };

  /** Number of timers. */
  get pending(): number {
    return this.waiting.length;
  }

  /** Advances, running due timers in their order, each at its time. Streams get a turn after each. */
  async advance(ms: number): Promise<void> {
    const untilMs = this.now + ms;
    for (await settle(); ; await settle()) {
      const next = this.waiting.filter(({ dueMs }) => dueMs <= untilMs).toSorted((a, b) => a.dueMs - b.dueMs)[0];
      if (next === undefined) break;
      this.waiting = this.waiting.filter((other) => other !== next);
      this.now = Math.max(this.now, next.dueMs);
      next.run();
    }
    this.now = untilMs;
  }
}

async function settle(): Promise<void> {
  for (let i = 0; i < 3; i++) await new Promise(setImmediate);
}
