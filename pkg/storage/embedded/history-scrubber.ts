/**
 * Removes from disk the versions that nobody can read any more. Each record in the log names the version it replaced, so a pass looks at
 * the changes since the last pass only and not at all keys. An interrupted pass goes on where it stopped.
 */
import { TurnBudget } from '../turn-budget.ts';
import type { EmbeddedDatabase } from './database.ts';
import { decodeRecord, decodeRevision, encodeHistoryKey, encodeRevision } from './record.ts';

/** Small, as room for a slice is kept on the disk at all times. */
const sliceRecords = 64;
/** Two records of the log and one of the history, each in a page of its own, and its neighbour that it may be merged with. */
const pagesPerRecord = 4;

export interface HistoryScrubberOptions {
  readonly database: EmbeddedDatabase;
  /** Runs the action, which copies so many pages at most, inside the store's next group of writes. */
  readonly write: (action: () => void, pages: number) => Promise<void>;
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
    this.#running = this.#running.catch(() => undefined).then(() => this.#pass(revision));
    return this.#running;
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#running.catch(() => undefined);
  }

  async #pass(revision: number): Promise<void> {
    // A compaction may come this far only after the store began to close its database, which must not be read from then on.
    if (this.#stopped) return;
    const { database, write } = this.#options;
    let done = database.readMeta('scrubbedRevision') ?? 0;
    const budget = new TurnBudget();
    while (done < revision && !this.#stopped) {
      const slice = this.#slice(done, revision);
      await write(() => {
        slice.apply();
        database.putMeta('scrubbedRevision', slice.reached);
      }, sliceRecords * pagesPerRecord);
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
      const record = decodeRecord(entry.value);
      if (record.previousRevision > 0) {
        logKeys.push(encodeRevision(record.previousRevision));
        historyKeys.push(encodeHistoryKey(Buffer.from(record.key), at));
      }
      if (record.deleted) logKeys.push(entry.key);
      if (++seen === sliceRecords) reached = at;
    }
    const apply = () => {
      for (const key of logKeys) log.remove(key);
      for (const key of historyKeys) history.remove(key);
    };
    return { reached, apply };
  }
}
