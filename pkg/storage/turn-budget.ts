import { setImmediate } from 'node:timers/promises';

/** How long a loop may hold the event loop before it yields. */
const turnMsMax = 3;
/** Reading the clock costs about as much as a small step, so only every n-th step reads it. */
const stepsPerLook = 32;

/** Cuts long loops into turns: `if (budget.spent()) await budget.yield()` after each step. */
export class TurnBudget {
  #started = performance.now();
  #steps = 0;

  /** True when the turn has lasted long enough. */
  spent(): boolean {
    return ++this.#steps % stepsPerLook === 0 && performance.now() - this.#started > turnMsMax;
  }

  /** Resolves in a later turn, after waiting I/O had its chance. */
  async yield(): Promise<void> {
    await setImmediate();
    this.#started = performance.now();
  }
}
