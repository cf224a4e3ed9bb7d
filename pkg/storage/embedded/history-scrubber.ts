/**
 * Removes from disk the versions that can no longer be read. Each record in the log names the version it replaced, so a
 * pass reads only the changes since the last pass and not all keys. An interrupted pass continues where it stopped.
 */
import { TurnBudget } from '../turn-budget.ts';
import type { EmbeddedDatabase } from './database.ts';
import { claimOf } from './disk-reserve.ts';
import type { Claim } from './disk-reserve.ts';
import { decodeRevision, encodeHistoryKey, encodeRevision, readableRecord } from './record.ts';

/** Small, as room for a slice is reserved on the disk at all times. */
const sliceRecords = 128;
/**
 * Two records of the log and one of the history, each from a different page: half of what an ordinary change may take.
 */
const sliceClaim = claimOf(0, sliceRecords / 2);

export interface HistoryScrubberOptions {
  readonly database: EmbeddedDatabase;
  /** Runs the action inside the store's next group of writes. */
  readonly write: (action: () => void, claim: Claim) => Promise<void>;
}

export class HistoryScrubber {
  readonly #options: HistoryScrubberOptions;
  #stopped = false;
  #running: Promise<void> = Promise.resolve();

  constructor(options: HistoryScrubberOptions) {
    this.#options = options;
  }

  /** Removes what was replaced or deleted at or before `revision`. Passes run one after another. */
  scrub(revision: number): Promise<void> {
    // The caller of the previous pass got its error.
    this.#running = this.#running.catch(() => undefined).then(() => this.#pass(revision));
    return this.#running;
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    // The caller of that pass got its error.
    await this.#running.catch(() => undefined);
  }

  async #pass(revision: number): Promise<void> {
    // A compaction may get here only after the store began to close its database, which must not be read from then on.
    if (this.#stopped) return;
    const { database, write } = this.#options;
    let done = database.readMeta('scrubbedRevision') ?? 0;
    const budget = new TurnBudget();
    while (done < revision && !this.#stopped) {
      const slice = this.#slice(done, revision);
      await write(() => {
        slice.apply();
        database.putMeta('scrubbedRevision', slice.reached);
      }, sliceClaim);
      done = slice.reached;
      await budget.yield();
    }
  }

  /** What to remove for the changes after `done`; deletes remove their own record as well. */
  #slice(done: number, revision: number): { reached: number; apply: () => void } {
    const { log, history } = this.#options.database.tables;
    const logKeys: Buffer[] = [];
    const historyKeys: Buffer[] = [];
    let reached = revision;
    let seen = 0;
    const range = { start: encodeRevision(done + 1), end: encodeRevision(revision + 1), limit: sliceRecords };
    for (const entry of log.getRange(range)) {
      const at = decodeRevision(entry.key);
      const record = readableRecord(at, entry.value);
      if (record !== undefined && record.previousRevision > 0) {
        logKeys.push(encodeRevision(record.previousRevision));
        historyKeys.push(encodeHistoryKey(Buffer.from(record.key), at));
      }
      // The version that a damaged record replaced stays: its key is unknown.
      if (record?.deleted === true) logKeys.push(entry.key);
      if (++seen === sliceRecords) reached = at;
    }
    const apply = () => {
      for (const key of logKeys) void log.remove(key);
      for (const key of historyKeys) void history.remove(key);
    };
    return { reached, apply };
  }
}
