import { withTimeout } from './with-timeout.ts';

/** Runs a task again and again, never twice at once; failures are told and the next round comes all the same. */
export class PeriodicTask {
  private readonly timer: NodeJS.Timeout;
  private running: Promise<void> = Promise.resolve();
  private isRunning = false;

  constructor(intervalMs: number, task: () => Promise<void>, onError: (error: unknown) => void) {
    this.timer = setInterval(() => {
      if (this.isRunning) return;
      this.isRunning = true;
      this.running = task()
        .catch(onError)
        .finally(() => {
          this.isRunning = false;
        });
    }, intervalMs);
    // A task of upkeep keeps no process alive.
    this.timer.unref();
  }

  /** Ends it, after the round that runs; one that hangs is left to itself. */
  async stop(): Promise<void> {
    clearInterval(this.timer);
    await withTimeout(this.running);
  }
}
