/**
 * Reads the embedded store as it was at a revision. A version shows at revision R when it was written at or before R
 * and not yet replaced at R: either it is still in `current`, or it is the first entry of its key in `history` that
 * ended after R.
 */
import { damagedValue } from '../encryption/unopened-value.ts';
import type { KeyValue } from '../store.ts';
import { TurnBudget } from '../turn-budget.ts';
import type { EmbeddedDatabase } from './database.ts';
import {
  DamagedRecordError,
  decodeHistoryKey,
  decodeVersion,
  encodeHistoryKey,
  encodeRevision,
  readRecord,
} from './record.ts';
import type { Version } from './record.ts';

const sliceKeys = 256;
/** After this many irrelevant entries of one key, a seek past them is cheaper than reading on. */
const skippedEntriesMax = 8;
const lastRevision = Number.MAX_SAFE_INTEGER;

interface KeyVersion {
  readonly key: Buffer;
  readonly version: Version;
}

export interface ScanOptions {
  /** First key, inclusive. */
  readonly start: Buffer;
  /** Key after the last; undefined: to the end. */
  readonly end: Buffer | undefined;
  readonly revision: number;
  readonly limit: number;
}

export class SnapshotReader {
  readonly #database: EmbeddedDatabase;
  readonly #assertReadable: (revision: number) => void;

  /** `assertReadable` throws when a revision is compacted; it is called again after each wait. */
  constructor(database: EmbeddedDatabase, assertReadable: (revision: number) => void) {
    this.#database = database;
    this.#assertReadable = assertReadable;
  }

  get(key: string, revision: number): KeyValue | undefined {
    this.#assertReadable(revision);
    const keyBytes = Buffer.from(key);
    const version = this.#versionAt(keyBytes, revision);
    return version && this.#load({ key: keyBytes, version }, revision);
  }

  /** The newest version in the table, whatever its revision. */
  currentVersion(key: Buffer): Version | undefined {
    const bytes = this.#database.tables.current.getBinary(key);
    return bytes && decodeVersion(bytes);
  }

  async scan({ start, end, revision, limit }: ScanOptions): Promise<{ items: KeyValue[]; more: boolean }> {
    const items: KeyValue[] = [];
    const budget = new TurnBudget();
    let from: Buffer | undefined = start;
    while (from !== undefined) {
      this.#assertReadable(revision);
      const slice: { versions: KeyVersion[]; next: Buffer | undefined } = await this.#slice(
        from,
        end,
        revision,
        budget,
      );
      for (const found of slice.versions) {
        if (items.length === limit) return { items, more: true };
        items.push(this.#load(found, revision));
        if (budget.spent()) await budget.yield();
      }
      from = slice.next;
    }
    return { items, more: false };
  }

  /** Number of keys in the range now. */
  async count(start: Buffer, end: Buffer | undefined): Promise<number> {
    const { current } = this.#database.tables;
    const budget = new TurnBudget();
    let total = 0;
    for (let from = start; ;) {
      const slice = Array.from(current.getKeys({ start: from, ...(end && { end }), limit: sliceKeys }));
      total += slice.length;
      if (slice.length < sliceKeys) return total;
      from = keyAfter(slice.at(-1)!);
      await budget.yield();
      this.#assertReadable(lastRevision);
    }
  }

  #versionAt(key: Buffer, revision: number): Version | undefined {
    const current = this.currentVersion(key);
    if (current !== undefined && current.modRevision <= revision) return current;
    const range = { start: encodeHistoryKey(key, revision + 1), end: encodeHistoryKey(key, lastRevision), limit: 1 };
    for (const entry of this.#database.tables.history.getRange(range)) {
      const version = decodeVersion(entry.value);
      return version.modRevision <= revision ? version : undefined;
    }
    return undefined;
  }

  #load({ key, version }: KeyVersion, revision: number): KeyValue {
    const name = key.toString();
    const bytes = this.#database.tables.log.getBinary(encodeRevision(version.modRevision));
    // A compaction that ran while the scan waited removes only what is below its revision.
    if (bytes === undefined) this.#assertReadable(revision);
    return { key: name, value: this.#valueOf(name, version.modRevision, bytes), ...version };
  }

  /** The marker for a damaged value names its key, so that the error concerns that key alone. */
  #valueOf(key: string, revision: number, bytes: Buffer | undefined): Uint8Array {
    try {
      if (bytes === undefined) throw new DamagedRecordError('the log lacks it');
      const record = readRecord(revision, bytes);
      if (record.key === key) return record.value;
      throw new DamagedRecordError(`the log has ${JSON.stringify(record.key)} in its place`);
    } catch (error) {
      if (error instanceof DamagedRecordError) return damagedValue(key, error.message);
      throw error;
    }
  }

  /** The versions that show at the revision among the next keys, and where to continue. */
  async #slice(start: Buffer, end: Buffer | undefined, revision: number, budget: TurnBudget) {
    const range = { start, ...(end && { end }), limit: sliceKeys };
    const entries: KeyVersion[] = [];
    for (const entry of this.#database.tables.current.getRange(range)) {
      entries.push({ key: entry.key, version: decodeVersion(entry.value) });
    }
    const full = entries.length === sliceKeys;
    const last = full ? entries.at(-1)!.key : undefined;
    const next = last && keyAfter(last);
    if (this.#database.lastLogRevision() <= revision) return { versions: entries, next };
    // Something is newer than the snapshot: what it replaced or deleted is in the history.
    const visible = entries.filter((entry) => entry.version.modRevision <= revision);
    for await (const old of this.#oldVersions(start, last ? keyAfter(last) : end, revision, budget)) visible.push(old);
    visible.sort((a, b) => Buffer.compare(a.key, b.key));
    // A key replaced while the history was read appears from both tables, with the same version.
    return { versions: visible.filter((entry, i) => i === 0 || !entry.key.equals(visible[i - 1]!.key)), next };
  }

  async *#oldVersions(
    start: Buffer,
    end: Buffer | undefined,
    revision: number,
    budget: TurnBudget,
  ): AsyncGenerator<KeyVersion> {
    let from: Buffer | undefined = start;
    while (from !== undefined) {
      const range: { start: Buffer; end?: Buffer } = { start: from, ...(end && { end }) };
      from = undefined;
      let decided: Buffer | undefined;
      let skipped = 0;
      for (const entry of this.#database.tables.history.getRange(range)) {
        const { key, endRevision } = decodeHistoryKey(entry.key);
        const isDecided = decided?.equals(key) ?? false;
        if (isDecided || endRevision <= revision) {
          if (++skipped > skippedEntriesMax) {
            from = encodeHistoryKey(key, isDecided ? lastRevision : revision + 1);
            break;
          }
        } else {
          skipped = 0;
          decided = key;
          const version = decodeVersion(entry.value);
          if (version.modRevision <= revision) yield { key, version };
        }
        if (budget.spent()) await budget.yield();
      }
    }
  }
}

/**
 * A bound between `key` and the next key, in `current` as in `history`: above all versions of the former and below the
 * latter.
 */
export function keyAfter(key: Uint8Array): Buffer {
  return encodeHistoryKey(key, lastRevision);
}
