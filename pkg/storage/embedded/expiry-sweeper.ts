/**
 * Deletes keys whose lifetime has ended, as ordinary deletes that watchers see. Survives restarts: due keys are in the
 * `expiry` table.
 */
import type { UpkeepReport } from '../upkeep-report.ts';
import type { EmbeddedDatabase } from './database.ts';
import { decodeExpiryKey, encodeExpiryKey } from './record.ts';

const sweepKeysMax = 500;

/** A key whose lifetime has ended, unless something replaced the version `revision` since. */
export interface DueKey {
  readonly key: string;
  readonly revision: number;
  readonly expiryKey: Buffer;
}

export interface ExpirySweeperOptions {
  readonly database: EmbeddedDatabase;
  readonly intervalMs: number;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Deletes the key if it still is at that revision, and always its entry in the table. */
  readonly expire: (due: DueKey) => Promise<void>;
  readonly report: UpkeepReport;
}

export class ExpirySweeper {
  readonly #options: ExpirySweeperOptions;
  readonly #timer: NodeJS.Timeout;
  #sweep: Promise<void> | undefined;

  constructor(options: ExpirySweeperOptions) {
    this.#options = options;
    this.#timer = setInterval(() => {
      // The keys stay due.
      this.sweep().catch((error: unknown) => options.report('expiry of keys', error));
    }, options.intervalMs).unref();
  }

  /** Deletes everything due now. Calls during a sweep share it. */
  sweep(): Promise<void> {
    this.#sweep ??= this.#sweepAll().finally(() => (this.#sweep = undefined));
    return this.#sweep;
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    // The keys stay due; the caller of the sweep got its error.
    await this.#sweep?.catch(() => undefined);
  }

  async #sweepAll(): Promise<void> {
    for (;;) {
      const due = this.#due();
      await Promise.all(due.map((key) => this.#options.expire(key)));
      if (due.length < sweepKeysMax) return;
    }
  }

  #due(): DueKey[] {
    const range = {
      start: encodeExpiryKey(0, 0),
      end: encodeExpiryKey(this.#options.now() + 1, 0),
      limit: sweepKeysMax,
    };
    const due: DueKey[] = [];
    for (const entry of this.#options.database.tables.expiry.getRange(range)) {
      due.push({ key: entry.value.toString(), revision: decodeExpiryKey(entry.key).revision, expiryKey: entry.key });
    }
    return due;
  }
}
