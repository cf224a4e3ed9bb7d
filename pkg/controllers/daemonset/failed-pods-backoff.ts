const FIRST_MS = 1000;
const MAX_MS = 15 * 60 * 1000;

interface Attempt {
  readonly atMs: number;
  readonly waitMs: number;
}

/** How long the failed pods of a node stay, so that a set and a node that rejects its pods do not race. */
export class FailedPodsBackoff {
  /** By uid of the set, then by generation and node. */
  private readonly attempts = new Map<string, Map<string, Attempt>>();

  /**
   * Milliseconds until the next attempt; 0: this is it, and the next one waits twice as long. `nowMs` is of the steady
   * clock.
   */
  next(uid: string, generation: number, node: string, nowMs: number): number {
    const known = this.attempts.get(uid) ?? new Map<string, Attempt>();
    const key = `${generation}/${node}`;
    const last = known.get(key);
    if (last !== undefined && nowMs - last.atMs < last.waitMs) return last.atMs + last.waitMs - nowMs;
    this.dropOld(known, nowMs);
    known.set(key, { atMs: nowMs, waitMs: known.has(key) ? Math.min(MAX_MS, last!.waitMs * 2) : FIRST_MS });
    this.attempts.set(uid, known);
    return 0;
  }

  /** The set is gone. */
  forget(uid: string): void {
    this.attempts.delete(uid);
  }

  private dropOld(known: Map<string, Attempt>, nowMs: number): void {
    for (const [key, { atMs }] of known) if (nowMs - atMs > 2 * MAX_MS) known.delete(key);
  }
}
