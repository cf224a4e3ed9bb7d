/** What `binnacle store` does with a data directory that no server has open. */
import { statSync } from 'node:fs';
import { StoreUnavailableError } from '../../store-errors.ts';
import { dataFileOf } from '../data-file.ts';
import { OwnerLock } from '../owner-lock.ts';
import { encodeRevision, encodeVersion } from '../record.ts';
import type { Version } from '../record.ts';
import { inspectStore } from './inspect-store.ts';
import type { DamagedKey, StoreInspection } from './inspect-store.ts';
import { MdbDamage } from './mdb-page.ts';
import { MdbFile } from './mdb-file.ts';
import type { PageMarks } from './mdb-file.ts';
import type { Tree } from './mdb-meta.ts';
import { rewriteStore } from './rewrite-store.ts';
import type { Row } from './rewrite-store.ts';

/**
 * Revisions left out after a repair: the last ones given to clients may be among what was lost, and must not be given
 * again.
 */
const lostRevisionsMax = 1_000_000;

export interface StoreReport {
  readonly keys: number;
  readonly records: number;
  readonly fileBytes: number;
  readonly damage: readonly string[];
  readonly damagedKeys: readonly DamagedKey[];
}

export interface RepairReport extends StoreReport {
  /** Name of the old file; undefined when nothing was damaged. */
  readonly keptAs?: string;
  /** The keys had to be derived from the log: some that were deleted may be back, and some may have an older value. */
  readonly keysAreDerived: boolean;
}

export interface CompactReport {
  readonly bytesBefore: number;
  readonly bytesAfter: number;
}

/**
 * Reads everything and changes nothing. Throws `StoreUnavailableError` when a server has the directory, or there is no
 * store in it.
 */
export function verifyStore(dir: string): Promise<StoreReport> {
  return withFile(dir, async (file) => reportOn(dir, inspectStore(file)));
}

/**
 * Writes what is readable into a new file, without history, and keeps the old one. Does nothing to a store without
 * damage.
 */
export function repairStore(dir: string, now = new Date()): Promise<RepairReport> {
  return withFile(
    dir,
    async (file) => {
      const found = inspectStore(file);
      const report = { ...reportOn(dir, found), keysAreDerived: found.current === undefined };
      if (found.damage.length === 0 && found.damagedKeys.length === 0) return report;
      const keptAs = `data.mdb.damaged-${now.toISOString().replaceAll(/[:.]/g, '-')}`;
      const live = liveKeys(found);
      await rewriteStore(dir, survivingRows(found, live), keptAs);
      return { ...report, keys: live.size, keptAs };
    },
    true,
  );
}

/**
 * Writes the live data and its history into a new file that is no larger than they are. Throws `StoreUnavailableError`
 * on a damaged store.
 */
export function compactStore(dir: string): Promise<CompactReport> {
  return withFile(dir, async (file) => {
    const bytesBefore = statSync(dataFileOf(dir)).size;
    const { damage, damagedKeys } = inspectStore(file);
    if (damage.length > 0 || damagedKeys.length > 0)
      throw new StoreUnavailableError(`the store in ${dir} is damaged: repair it first`);
    await rewriteStore(dir, allRows(file));
    return { bytesBefore, bytesAfter: statSync(dataFileOf(dir)).size };
  });
}

async function withFile<T>(dir: string, action: (file: MdbFile) => Promise<T>, blind = false): Promise<T> {
  if (statSync(dataFileOf(dir), { throwIfNoEntry: false }) === undefined)
    throw new StoreUnavailableError(`there is no store in ${dir}`);
  const lock = new OwnerLock(dir);
  try {
    const file = openFile(dir, blind);
    try {
      return await action(file);
    } finally {
      file.close();
    }
  } finally {
    lock.release();
  }
}

function openFile(dir: string, blind: boolean): MdbFile {
  try {
    return new MdbFile(dataFileOf(dir), blind);
  } catch (cause) {
    if (cause instanceof MdbDamage)
      throw new StoreUnavailableError(`nothing in ${dataFileOf(dir)} can be read: ${cause.message}`, { cause });
    throw cause;
  }
}

function reportOn(dir: string, { current, log, damage, damagedKeys }: StoreInspection): StoreReport {
  return {
    keys: current?.size ?? 0,
    records: log.size,
    fileBytes: statSync(dataFileOf(dir)).size,
    damage,
    damagedKeys,
  };
}

/**
 * The keys that exist and whose record is readable. Where the table of keys is damaged, the log says which record was
 * last.
 */
function liveKeys({ current, log }: StoreInspection): ReadonlyMap<string, Version> {
  const live = new Map<string, Version>();
  for (const [key, version] of current ?? newestVersions(log)) {
    const record = log.get(version.modRevision);
    if (record?.key === key && !record.deleted) live.set(key, version);
  }
  return live;
}

function newestVersions(log: StoreInspection['log']): ReadonlyMap<string, Version> {
  const newest = new Map<string, Version>();
  for (const [modRevision, { key, createRevision }] of log) {
    if (modRevision > (newest.get(key)?.modRevision ?? 0)) newest.set(key, { modRevision, createRevision });
  }
  return newest;
}

function* survivingRows(
  { log, expiry, lastRevision }: StoreInspection,
  live: ReadonlyMap<string, Version>,
): Generator<Row> {
  for (const { modRevision } of [...live.values()].toSorted((a, b) => a.modRevision - b.modRevision)) {
    yield { table: 'log', key: encodeRevision(modRevision), value: log.get(modRevision)!.read() };
  }
  for (const [key, version] of live) yield { table: 'current', key: Buffer.from(key), value: encodeVersion(version) };
  for (const { key, value } of expiry) if (live.has(value.toString())) yield { table: 'expiry', key, value };
  const revision = encodeRevision(lastRevision + lostRevisionsMax);
  for (const name of ['compactRevision', 'scrubbedRevision'])
    yield { table: 'meta', key: Buffer.from(name), value: revision };
}

function* allRows(file: MdbFile): Generator<Row> {
  const marks: PageMarks = file.marks();
  const tables: ReadonlyMap<string, Tree> = file.tables(marks);
  for (const table of ['log', 'current', 'history', 'expiry', 'meta'] as const) {
    for (const { key, value } of file.entries(tables.get(table)!, { marks })) yield { table, key, value: value() };
  }
}
