import { steadyMs } from './steady-clock.ts';

/**
 * Milliseconds of one turn of the event loop in which background work begins, all of it together. What it waits for
 * ends in turns of its own, which take longer: with 4 ms a request's p99 beside 5,000 starting pods was 57 and 84 ms,
 * with 0.5 ms 24 and 27 ms, and the pods started no later.
 */
const TURN_MS = 0.5;

/**
 * Divides the event loop between what clients wait for and the small pieces of background work, such as the calls of
 * controllers in the server's own process: each turn begins as many pieces as fit into its time, first come, first
 * served, so that a connection's request never waits for all of them.
 */
export class BackgroundWork {
  private readonly waiting: (() => void)[] = [];
  private turnEndsAtMs = 0;
  private isTurnOpen = false;
  private isPumping = false;
  private readonly nowMs: () => number;

  constructor(nowMs = steadyMs) {
    this.nowMs = nowMs;
  }

  /** Undefined where a piece may begin now; otherwise resolves in the turn in which it may. */
  begin(): Promise<void> | undefined {
    if (!this.isPumping) {
      const now = this.nowMs();
      if (!this.isTurnOpen) this.openTurn(now);
      if (now < this.turnEndsAtMs) return undefined;
      this.isPumping = true;
      setImmediate(() => void this.pump());
    }
    return new Promise((resolve) => this.waiting.push(resolve));
  }

  private openTurn(now: number): void {
    this.isTurnOpen = true;
    this.turnEndsAtMs = now + TURN_MS;
    setImmediate(() => (this.isTurnOpen = false));
  }

  private async pump(): Promise<void> {
    const endsAtMs = this.nowMs() + TURN_MS;
    do {
      this.waiting.shift()?.();
      // The piece runs here, up to where it waits itself.
      await undefined;
    } while (this.waiting.length > 0 && this.nowMs() < endsAtMs);
    if (this.waiting.length > 0) setImmediate(() => void this.pump());
    else this.isPumping = false;
  }
}

// Process-wide: a process has one event loop, whose turns the background work of all of its servers shares.
export const backgroundWork = new BackgroundWork();
