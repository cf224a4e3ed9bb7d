/**
 * Bounds the history by its size: under churn more is written between two compactions by time than all existing objects
 * take.
 */

import type { UpkeepReport } from '../upkeep-report.ts';

const pageBytes = 4096;
/** Longer records have separate pages. */
const sharedRecordBytesMax = 2000;
/** Compaction goes to one of this many points in the history. */
const marksMax = 8;

export interface HistoryBudgetOptions {
  /** Of the file, roughly. */
  readonly bytesMax: number;
  /** Drops history below the revision; may fail, and is retried later. */
  readonly compact: (revision: number) => Promise<void>;
  readonly report: UpkeepReport;
}

export class HistoryBudget {
  readonly #options: HistoryBudgetOptions;
  /** Points in the history, oldest first, with what was written after the one before. */
  #marks: { revision: number; bytes: number }[] = [];
  #bytes = 0;
  #sinceMark = 0;
  #compacting = false;

  constructor(options: HistoryBudgetOptions) {
    this.#options = options;
  }

  /** A record of this many bytes was written at a revision. */
  written(revision: number, recordBytes: number): void {
    const bytes = recordBytes > sharedRecordBytesMax ? Math.ceil(recordBytes / pageBytes) * pageBytes : recordBytes;
    this.#bytes += bytes;
    this.#sinceMark += bytes;
    if (this.#sinceMark < this.#options.bytesMax / marksMax) return;
    this.#marks.push({ revision, bytes: this.#sinceMark });
    this.#sinceMark = 0;
    if (this.#bytes > this.#options.bytesMax && !this.#compacting) void this.#compact();
  }

  /** History below the revision is gone, by this or another compaction. */
  compactedTo(revision: number): void {
    while (this.#marks.length > 0 && this.#marks[0]!.revision <= revision) this.#bytes -= this.#marks.shift()!.bytes;
  }

  /** Drops the older half. */
  async #compact(): Promise<void> {
    this.#compacting = true;
    const middle = this.#marks[Math.floor(this.#marks.length / 2)]!;
    try {
      await this.#options.compact(middle.revision);
    } catch (error) {
      // The next mark tries again.
      this.#options.report('history compaction', error);
    } finally {
      this.#compacting = false;
    }
  }
}
