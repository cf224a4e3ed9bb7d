/** How long changes are gathered before a round begins, milliseconds. */
const DELAY_MS = 50;

/**
 * Runs a round of upkeep a moment after something changed, so that many changes make one round. Rounds run one after
 * the other; a failed one is reported.
 */
export class GatheredRounds {
  private readonly round: () => Promise<unknown>;
  private readonly onError: (error: unknown) => void;
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> = Promise.resolve();
  private isStopped = false;

  constructor(round: () => Promise<unknown>, onError: (error: unknown) => void) {
    this.round = round;
    this.onError = onError;
  }

  /** A running round ends early when it sees this. */
  get stopped(): boolean {
    return this.isStopped;
  }

  /** Has no effect while a round is scheduled already, or after the stop. */
  schedule(delayMs = DELAY_MS): void {
    if (this.isStopped || this.timer !== undefined) return;
    this.timer = setTimeout(() => {
      this.timer = undefined;
      this.running = this.running.then(() => this.round()).then(() => undefined, this.onError);
    }, delayMs);
    this.timer.unref();
  }

  /** Resolves when the running round has ended. */
  async stop(): Promise<void> {
    this.isStopped = true;
    clearTimeout(this.timer);
    await this.running;
  }
}
