/** Compacts a store that no other server shares: at each interval to the revision of the interval before. */
import type { Store } from './store.ts';
import type { UpkeepReport } from './upkeep-report.ts';

export class IntervalCompaction {
  readonly #store: Pick<Store, 'compact' | 'currentRevision'>;
  readonly #report: UpkeepReport;
  readonly #timer: NodeJS.Timeout;
  #lastRevision = 0;
  #running = false;
  #stopped = false;

  constructor(store: Pick<Store, 'compact' | 'currentRevision'>, intervalMs: number, report: UpkeepReport) {
    this.#store = store;
    this.#report = report;
    this.#timer = setInterval(() => void this.#run(), intervalMs).unref();
  }

  stop(): void {
    this.#stopped = true;
    clearInterval(this.#timer);
  }

  async #run(): Promise<void> {
    if (this.#running) return;
    this.#running = true;
    try {
      const revision = await this.#store.currentRevision();
      if (this.#lastRevision > 0) await this.#store.compact(this.#lastRevision);
      this.#lastRevision = revision;
    } catch (error) {
      // A store that cannot compact now keeps more history than necessary; the next interval tries again.
      if (!this.#stopped) this.#report('history compaction', error);
    } finally {
      this.#running = false;
    }
  }
}
