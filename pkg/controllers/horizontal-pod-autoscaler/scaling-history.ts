interface Recommendation {
  readonly replicas: number;
  readonly atMs: number;
}

interface Change {
  /** Replicas that were added; negative: removed. */
  readonly replicas: number;
  readonly atMs: number;
}

/** Nothing looks back further than an hour: the longest window that validation allows. */
const KEPT_MS = 3_600_000;

/** What was recommended for one autoscaler, and what it did. */
export class ScalingHistory {
  private recommendations: readonly Recommendation[] = [];
  private changes: readonly Change[] = [];
  private readonly nowMs: () => number;

  constructor(nowMs: () => number) {
    this.nowMs = nowMs;
  }

  /** What there is at the first time is what is recommended until then. */
  begin(replicas: number): void {
    if (this.recommendations.length === 0) this.recommend(replicas);
  }

  recommend(replicas: number): void {
    const atMs = this.nowMs();
    this.recommendations = [...this.recommendations.filter((old) => old.atMs > atMs - KEPT_MS), { replicas, atMs }];
  }

  recommendedWithin(windowMs: number): readonly number[] {
    const sinceMs = this.nowMs() - windowMs;
    return this.recommendations.filter(({ atMs }) => atMs > sinceMs).map(({ replicas }) => replicas);
  }

  changed(replicas: number): void {
    const atMs = this.nowMs();
    this.changes = [...this.changes.filter((old) => old.atMs > atMs - KEPT_MS), { replicas, atMs }];
  }

  /** Replicas at the start of a period that ends now. */
  replicasBefore(current: number, periodMs: number): number {
    const sinceMs = this.nowMs() - periodMs;
    const inPeriod = this.changes.filter(({ atMs }) => atMs > sinceMs);
    return inPeriod.reduce((replicas, change) => replicas - change.replicas, current);
  }
}
