interface Wanted {
  readonly count: number;
  readonly sinceMs: number;
}

/** How many each set has wanted lately. */
export class WantedCounts {
  private readonly lagMs: number;
  private readonly bySet = new Map<string, Wanted[]>();

  constructor(lagMs: number) {
    this.lagMs = lagMs;
  }

  set(uid: string, count: number, atMs: number): void {
    const known = this.bySet.get(uid) ?? [];
    if (known.at(-1)?.count !== count) known.push({ count, sinceMs: atMs });
    this.bySet.set(uid, known);
  }

  /** The greatest count that it wanted at any time within the lag; undefined where it was never seen. */
  greatest(uid: string, nowMs: number): number | undefined {
    const known = this.bySet.get(uid);
    if (known === undefined) return undefined;
    const lately = known.filter((_, i) => (known[i + 1]?.sinceMs ?? Infinity) >= nowMs - this.lagMs);
    return Math.max(...lately.map(({ count }) => count));
  }

  /** What it wanted, and since how many milliseconds. */
  describe(uid: string, nowMs: number): string {
    const known = this.bySet.get(uid) ?? [];
    return known.map(({ count, sinceMs }) => `${count} for ${Math.round(nowMs - sinceMs)} ms`).join(', ');
  }
}
