import { isStoreFull } from '../registry/store-errors-to-status.ts';
import { PeriodicTask } from './periodic-task.ts';

const RETRY_MS = 10_000;

/**
 * A store without room keeps no server from starting: reads work, and what a step of the start would have written is
 * tried again until it is there.
 */
export class DespiteFullStore {
  private readonly waiting = new Map<string, () => Promise<void>>();
  private readonly onError: (error: unknown, where: string) => void;
  private readonly retries: PeriodicTask;

  constructor(onError: (error: unknown, where: string) => void, retryMs = RETRY_MS) {
    this.onError = onError;
    this.retries = new PeriodicTask(
      retryMs,
      () => this.retry(),
      () => undefined,
    );
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

  stop(): Promise<void> {
    return this.retries.stop();
  }

  private async retry(): Promise<void> {
    for (const [where, step] of this.waiting)
      await this.run(where, step).catch((error: unknown) => this.onError(error, where));
  }
}
