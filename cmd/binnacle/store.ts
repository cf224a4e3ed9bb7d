import { existsSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import type { StoreReport } from '../../pkg/storage/embedded/file/store-upkeep.ts';

const usage = `Usage: binnacle store verify|repair|compact [--data-dir DIR]

Looks after the embedded store of a server that is stopped. DIR is the directory that \`binnacle up\` was given; default: .binnacle

  verify    read everything; say what is damaged
  repair    write what is readable into a new file; the damaged one stays beside it
  compact   write the live data into a new file, which is as small as they are

Exit status: 0 when all is well (now), 1 when something is damaged or lost, or it cannot be done, 2 for wrong options.
`;

const actions = { verify, repair, compact };

/**
 * Each returns the exit status. The library is loaded when an action is known: it brings the native parts of the store.
 */
type Action = keyof typeof actions;

export async function store(args: readonly string[]): Promise<number> {
  let values: { 'data-dir'?: string; help?: boolean };
  let positionals: string[];
  try {
    ({ values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { 'data-dir': { type: 'string' }, help: { type: 'boolean', short: 'h' } },
    }));
  } catch (error) {
    return wrong((error as Error).message);
  }
  if (values.help === true) {
    process.stdout.write(usage);
    return 0;
  }
  const [action = '', dir = values['data-dir'] ?? '.binnacle', ...more] = positionals;
  if (!isAction(action)) return wrong(`what to do with the store: ${Object.keys(actions).join(', ')}`);
  if (more.length > 0 || (positionals.length > 1 && values['data-dir'] !== undefined))
    return wrong('one directory is enough');
  try {
    return await actions[action](storeDirOf(dir));
  } catch (error) {
    process.stderr.write(`binnacle store ${action}: ${(error as Error).message}\n`);
    return 1;
  }
}

function isAction(name: string): name is Action {
  return Object.hasOwn(actions, name);
}

function wrong(problem: string): number {
  process.stderr.write(`binnacle store: ${problem}\n\n${usage}`);
  return 2;
}

/** `up` keeps its store in a directory of its own below that of everything else. */
function storeDirOf(dir: string): string {
  const below = path.join(dir, 'store');
  return existsSync(path.join(below, 'data.mdb')) ? below : dir;
}

async function verify(dir: string): Promise<number> {
  const { verifyStore } = await import('../../pkg/storage/embedded/file/store-upkeep.ts');
  const report = await verifyStore(dir);
  print(`${dir}: ${report.keys} keys, ${report.records} records, ${megabytes(report.fileBytes)}`);
  printDamage(report);
  return isWhole(report) ? 0 : 1;
}

async function repair(dir: string): Promise<number> {
  const { repairStore } = await import('../../pkg/storage/embedded/file/store-upkeep.ts');
  const report = await repairStore(dir);
  if (report.keptAs === undefined) {
    print(`${dir}: nothing is damaged, nothing was changed`);
    return 0;
  }
  printDamage(report);
  print(`${dir}: ${report.keys} keys saved, without their history; the damaged file is ${report.keptAs}`);
  for (const { key } of report.damagedKeys) print(`lost: ${key}`);
  if (report.keysAreDerived)
    print(
      'the table of keys was damaged: what was lost is not known, keys that were deleted shortly before may be back, and others may have an older value',
    );
  return report.damagedKeys.length > 0 || report.keysAreDerived ? 1 : 0;
}

async function compact(dir: string): Promise<number> {
  const { compactStore } = await import('../../pkg/storage/embedded/file/store-upkeep.ts');
  const { bytesBefore, bytesAfter } = await compactStore(dir);
  print(`${dir}: ${megabytes(bytesBefore)} before, ${megabytes(bytesAfter)} now`);
  return 0;
}

function isWhole({ damage, damagedKeys }: StoreReport): boolean {
  return damage.length === 0 && damagedKeys.length === 0;
}

function printDamage({ damage, damagedKeys }: StoreReport): void {
  for (const what of damage) print(`damaged: ${what}`);
  for (const { key, reason } of damagedKeys) print(`damaged: ${JSON.stringify(key)}: ${reason}`);
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

function megabytes(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(1)} MiB`;
}
