import { isStoreFull } from '../registry/store-errors-to-status.ts';

/**
 * A store without room keeps no server from starting: reads work, and what a step of the start would have written can
 * be tried again until it is there.
 */
export class DespiteFullStore {
  private readonly waiting = new Map<string, () => Promise<void>>();
  private readonly onError: (error: unknown, where: string) => void;

  constructor(onError: (error: unknown, where: string) => void) {
    this.onError = onError;
  }

  /** The steps that found no room. */
  get unfinished(): readonly string[] {
    return [...this.waiting.keys()];
  }

  /** Rejects when the step does for another reason. */
  async run(where: string, step: () => Promise<void>): Promise<void> {
    try {
      await step();
      this.waiting.delete(where);
    } catch (error) {
      if (!isStoreFull(error)) throw error;
      if (!this.waiting.has(where)) this.onError(error, where);
      this.waiting.set(where, step);
    }
  }

  /** Takes a step again that found no room; there may be none still. */
  async retry(where: string): Promise<void> {
    const step = this.waiting.get(where);
    if (step !== undefined) await this.run(where, step);
  }
}
