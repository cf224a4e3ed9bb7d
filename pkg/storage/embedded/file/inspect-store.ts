/**
 * The content of a store's file, read without LMDB and without trust: for `binnacle store verify`, and for `repair`,
 * which writes it again.
 */
import { keyProblem } from '../../store-key.ts';
import { DamagedRecordError, decodeHistoryKey, decodeRevision, decodeVersion, readRecord } from '../record.ts';
import type { LogRecord, Version } from '../record.ts';
import { MdbDamage } from './mdb-page.ts';
import type { Entry, MdbFile, PageMarks } from './mdb-file.ts';
import type { Tree } from './mdb-meta.ts';

const revisionBytes = 8;
const versionBytes = 16;
const revisionMax = 2 ** 52;
const revisionsApartMax = 1_000_000_000;
const tableNames = ['log', 'current', 'history', 'expiry', 'meta'] as const;
export type TableName = (typeof tableNames)[number];

/** A record of the log without its value, and how to read it again. */
export interface LoggedRecord extends Omit<LogRecord, 'value'> {
  readonly bytes: number;
  /** The record as it is stored. Throws `MdbDamage`. */
  read(): Buffer;
}

export interface DamagedKey {
  readonly key: string;
  readonly reason: string;
}

export interface StoreInspection {
  /** Damage of the file, by table. */
  readonly damage: readonly string[];
  /** Keys that exist, whose value cannot be read. */
  readonly damagedKeys: readonly DamagedKey[];
  /** Readable records by revision, in order within a tree. */
  readonly log: ReadonlyMap<number, LoggedRecord>;
  /** The keys that exist; undefined when the table that says so is damaged. */
  readonly current: ReadonlyMap<string, Version> | undefined;
  readonly expiry: readonly { readonly key: Buffer; readonly value: Buffer }[];
  readonly meta: ReadonlyMap<string, number>;
  /** The newest revision that is mentioned anywhere. */
  readonly lastRevision: number;
}

export function inspectStore(file: MdbFile): StoreInspection {
  return new Inspection(file).result();
}

class Inspection {
  readonly #file: MdbFile;
  readonly #marks: PageMarks;
  readonly #tables: Map<string, Tree>;
  readonly #damage = new Set<string>();
  readonly #log = new Map<number, LoggedRecord>();
  /** Why the record of a revision cannot be read. */
  readonly #unreadable = new Map<number, string>();

  constructor(file: MdbFile) {
    this.#file = file;
    this.#marks = file.marks();
    for (const damage of file.metaDamage) this.#damage.add(damage);
    this.#tables = file.tables(this.#marks, (damage) => this.#damage.add(damage.message));
  }

  result(): StoreInspection {
    const logIsWhole = this.#each('log', (entry) => this.#takeRecord(entry));
    const current = new Map<string, Version>();
    const currentIsWhole = this.#each('current', ({ key, value }) => current.set(key.toString(), versionIn(value())));
    this.#each('history', (entry) => this.#checkHistory(entry));
    const expiry: { key: Buffer; value: Buffer }[] = [];
    this.#each('expiry', ({ key, value }) => expiry.push({ key, value: value() }));
    const meta = new Map<string, number>();
    this.#each('meta', ({ key, value }) => meta.set(key.toString(), revisionIn(value())));
    this.#file.markFree(this.#marks, (damage) => this.#damage.add(`free pages: ${damage.message}`));
    if (!logIsWhole) this.#takeStrays();
    const mentioned = [...this.#unreadable.keys(), ...Array.from(current.values(), (version) => version.modRevision)];
    return {
      damage: [...this.#damage],
      damagedKeys: currentIsWhole ? this.#damagedKeys(current) : [],
      log: this.#log,
      current: currentIsWhole ? current : undefined,
      expiry,
      meta,
      lastRevision: lastOf([...this.#log.keys(), ...meta.values()], mentioned),
    };
  }

  /** False when something is missing. */
  #each(name: TableName, take: (entry: Entry) => void): boolean {
    const tree = this.#tables.get(name);
    let isWhole = tree !== undefined;
    const report = (damage: MdbDamage): void => {
      isWhole = false;
      this.#damage.add(`table ${name}: ${damage.message}`);
    };
    if (tree === undefined) report(new MdbDamage('it is not there'));
    else
      for (const entry of this.#file.entries(tree, { marks: this.#marks, onDamage: report }))
        attempt(() => take(entry), report);
    return isWhole;
  }

  #takeRecord({ key, value }: Entry): void {
    const revision = revisionIn(key);
    try {
      const bytes = value();
      const { value: _, ...record } = readRecord(revision, bytes);
      this.#log.set(revision, { ...record, bytes: bytes.length, read: value });
    } catch (error) {
      if (!(error instanceof DamagedRecordError) && !(error instanceof MdbDamage)) throw error;
      this.#unreadable.set(revision, error.message);
    }
  }

  #checkHistory({ key, value }: Entry): void {
    if (key.length <= revisionBytes + 1) throw new MdbDamage('a key is too short');
    const { modRevision } = versionIn(value());
    if (!this.#log.has(modRevision) && !this.#unreadable.has(modRevision))
      throw new MdbDamage(
        `${JSON.stringify(decodeHistoryKey(key).key.toString())} had a version ${modRevision} that the log lacks`,
      );
  }

  #damagedKeys(current: ReadonlyMap<string, Version>): DamagedKey[] {
    const damaged: DamagedKey[] = [];
    for (const [key, { modRevision }] of current) {
      const record = this.#log.get(modRevision);
      if (record?.key === key && !record.deleted) continue;
      damaged.push({
        key,
        reason:
          this.#unreadable.get(modRevision) ??
          (record === undefined ? 'the log lacks it' : `the log has ${JSON.stringify(record.key)} in its place`),
      });
    }
    return damaged;
  }

  /** Records in pages that the log's tree no longer reaches. Free pages hold old ones, which must not come back. */
  #takeStrays(): void {
    for (let page = 0; page < this.#marks.length; page++) {
      if (this.#marks[page] !== 0) continue;
      for (const entry of this.#file.strayNodes(page)) {
        if (entry.key.length !== revisionBytes || this.#log.has(decodeRevision(entry.key))) continue;
        attempt(
          () => {
            const revision = decodeRevision(entry.key);
            const bytes = entry.value();
            const { value: _, ...record } = readRecord(revision, bytes);
            if (isPlausible(revision, record))
              this.#log.set(revision, { ...record, bytes: bytes.length, read: entry.value });
          },
          () => undefined,
        );
      }
    }
  }
}

/** The newest of the trusted revisions, or of the others that are close: those far off are damaged themselves. */
function lastOf(trusted: readonly number[], others: readonly number[]): number {
  let last = 0;
  for (const revision of trusted) last = Math.max(last, revision);
  const limit = last + revisionsApartMax;
  for (const revision of others) if (revision < limit) last = Math.max(last, revision);
  return last;
}

/** Records of earlier releases have no checksum, and a stray page may have been anything. */
function isPlausible(revision: number, { key, createRevision, previousRevision }: Omit<LogRecord, 'value'>): boolean {
  return (
    keyProblem(key) === undefined && isRevision(createRevision, revision) && isRevision(previousRevision, revision - 1)
  );
}

function isRevision(value: number, max: number): boolean {
  return Number.isInteger(value) && value >= 0 && value <= max;
}

function attempt(action: () => void, report: (damage: MdbDamage) => void): void {
  try {
    action();
  } catch (error) {
    if (error instanceof MdbDamage) report(error);
    else if (!(error instanceof DamagedRecordError)) throw error;
  }
}

function revisionIn(bytes: Buffer): number {
  const revision = bytes.length === revisionBytes ? decodeRevision(bytes) : Infinity;
  if (revision > revisionMax) throw new MdbDamage('what should be a revision is none');
  return revision;
}

function versionIn(bytes: Buffer): Version {
  const version = bytes.length === versionBytes ? decodeVersion(bytes) : { modRevision: NaN, createRevision: NaN };
  if (!isRevision(version.modRevision, revisionMax) || !isRevision(version.createRevision, version.modRevision))
    throw new MdbDamage('what should be a version is none');
  return version;
}
