import type { Clock } from './clock.ts';

interface Timer {
  readonly dueMs: number;
  readonly callback: () => void;
}

/** For tests: time passes only when the test says so. */
export class FakeClock implements Clock {
  private steady = 0;
  private wall: number;
  private timers: Timer[] = [];
  private readonly settle: () => Promise<void>;

  /** `settleAll` lets everything run that a moment sets off, before time goes on. */
  constructor(wallMs = Date.UTC(2026, 0, 2, 3, 4, 5), settleAll = settle) {
    this.wall = wallMs;
    this.settle = settleAll;
  }

  readonly steadyMs = (): number => this.steady;

  readonly wallMs = (): number => this.wall;

  readonly after = (delayMs: number, callback: () => void): (() => void) => {
    const timer = { dueMs: this.steady + Math.max(0, delayMs), callback };
    this.timers.push(timer);
    return () => {
      this.timers = this.timers.filter((other) => other !== timer);
    };
  };

  /** Timers that have not fired. */
  get pending(): number {
    return this.timers.length;
  }

  /** Lets time pass; each timer fires at its time, and what it starts runs before the next one. */
  async advance(ms: number): Promise<void> {
    const untilMs = this.steady + ms;
    for (await this.settle(); ; await this.settle()) {
      const next = this.timers.filter(({ dueMs }) => dueMs <= untilMs).toSorted((a, b) => a.dueMs - b.dueMs)[0];
      if (next === undefined) break;
      this.pass(Math.max(0, next.dueMs - this.steady));
      this.fire(next);
    }
    this.pass(untilMs - this.steady);
  }

  /**
   * Time passes while the process is paused: no timer fires before the end, and the next `advance` fires those that
   * are due.
   */
  jump(ms: number): void {
    this.pass(ms);
  }

  /** Sets the host's time of day, as an administrator or NTP does. */
  setWall(wallMs: number): void {
    this.wall = wallMs;
  }

  private pass(ms: number): void {
    this.steady += ms;
    this.wall += ms;
  }

  private fire(timer: Timer): void {
    this.timers = this.timers.filter((other) => other !== timer);
    timer.callback();
  }
}

/** Lets promises and what they start run. */
export async function settle(): Promise<void> {
  for (let i = 0; i < 5; i++) await new Promise(setImmediate);
}
