import type { Wait } from './paced-stream.ts';

/** For tests: a clock that goes on only when told, and what waits for it. */
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

  /** How many wait. */
  get pending(): number {
    return this.waiting.length;
  }

  /**
   * Goes on, running what is due in its order, each at its time. What streams do of themselves gets its turn after
   * each.
   */
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
