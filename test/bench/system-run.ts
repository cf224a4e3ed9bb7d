import type { BenchPlan } from './bench-plan.ts';
import type { ClientProcess } from './client/client-process.ts';
import type { Figures, FiguresByRow, Measurement } from './figures.ts';
import { throughput } from './figures.ts';
import type { RowName } from './rows.ts';

/** Tells a person how far the run is. */
export type Progress = (line: string) => void;

/**
 * One system's run: the plan, the client and the figures so far. A row that fails is a figure too; the others go on.
 */
export class SystemRun {
  readonly plan: BenchPlan;
  readonly client: ClientProcess;
  readonly figures: FiguresByRow = {};
  private readonly progress: Progress;

  constructor(plan: BenchPlan, client: ClientProcess, progress: Progress) {
    this.plan = plan;
    this.client = client;
    this.progress = progress;
  }

  wants(...names: readonly RowName[]): boolean {
    return names.some((name) => this.plan.rows.has(name));
  }

  async throughput(name: RowName, measure: () => Promise<Measurement>): Promise<void> {
    await this.row(name, async () => throughput(await measure()));
  }

  async gauge(name: RowName, read: () => Promise<number> | number): Promise<void> {
    await this.row(name, async () => ({ kind: 'gauge', value: await read() }));
  }

  /** A row whose figures were measured together with another one's. */
  async figure(name: RowName, figures: () => Figures): Promise<void> {
    await this.row(name, () => Promise.resolve(figures()));
  }

  /** Says of the chosen ones of these rows why they have no figures. */
  skip(names: readonly RowName[], reason: string): void {
    const chosen = names.filter((name) => this.wants(name));
    if (chosen.length > 0) this.progress(`${reason}: skipped ${chosen.join(', ')}`);
  }

  private async row(name: RowName, measure: () => Promise<Figures>): Promise<void> {
    if (!this.wants(name)) return;
    this.progress(name);
    try {
      this.figures[name] = await measure();
    } catch (error) {
      this.figures[name] = { kind: 'failed', error: (error as Error).message };
      this.progress(`${name} failed: ${(error as Error).message}`);
    }
  }
}
