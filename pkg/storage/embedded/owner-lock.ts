/**
 * One process owns a data directory: the store decides compare-and-swap in memory, so a second writer would break it.
 * The kernel holds the lock (docs/decisions/0009-embedded-faults.md). The owner's name in the file is for messages
 * alone.
 */
import { closeSync, fstatSync, ftruncateSync, readFileSync, statSync, writeSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { keepPrivate } from '../../options/keep-private.ts';
import { makeDirectory } from '../../options/make-directory.ts';
import { StoreUnavailableError } from '../store-errors.ts';
import { isLockedElsewhere, openLocked } from './kernel-lock.ts';

const attemptsMax = 10;

export class OwnerLock {
  #fd: number | undefined;

  /**
   * Takes the lock of `dir`, created when absent. Throws `StoreUnavailableError` when another process has it, naming
   * it.
   */
  constructor(dir: string) {
    makeDirectory(dir, 0o700);
    keepPrivate(dir);
    const path = join(dir, 'owner.lock');
    const fd = (this.#fd = lockCurrentFile(path));
    if (fd === undefined) throw inUse(dir, `by ${ownerIn(path)}`);
    // A server of an earlier release, or a tool for LMDB, does not know our lock.
    if (isLockedElsewhere(join(dir, 'lock.mdb'))) {
      this.release();
      throw inUse(dir, 'by another program that has its database open');
    }
    describeOwner(fd);
  }

  /** The file stays: another process may have it open already, and a lock on a removed file excludes no process. */
  release(): void {
    if (this.#fd !== undefined) closeSync(this.#fd);
    this.#fd = undefined;
  }
}

/** Locks the file that has the name now: a cleanup may have removed it between opening and locking. */
function lockCurrentFile(path: string): number | undefined {
  for (let attempt = 0; attempt < attemptsMax; attempt++) {
    const fd = openLocked(path);
    if (fd === undefined) return undefined;
    if (statSync(path, { throwIfNoEntry: false })?.ino === fstatSync(fd).ino) return fd;
    closeSync(fd);
  }
  return undefined;
}

/** Process id and start time stand first, where earlier releases look for them. */
function describeOwner(fd: number): void {
  try {
    ftruncateSync(fd, 0);
    writeSync(fd, `${process.pid} ${startTime() ?? '-'} ${hostname()}\n`, 0);
  } catch {
    // The lock holds on a full disk too.
  }
}

function ownerIn(path: string): string {
  try {
    const [pid, , host] = readFileSync(path, 'utf8').trim().split(' ');
    if (pid && host) return `process ${pid} on ${host}`;
  } catch {
    // The owner may be about to write it.
  }
  return 'another process';
}

/** Clock ticks from boot to this process's start (proc(5), field 22 of stat); undefined where there is no /proc. */
function startTime(): string | undefined {
  try {
    const stat = readFileSync('/proc/self/stat', 'utf8');
    // The name in parentheses may hold spaces: count from its end.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  } catch {
    // No /proc on this system: the lock itself does not depend on the start time.
    return undefined;
  }
}

function inUse(dir: string, how: string): StoreUnavailableError {
  return new StoreUnavailableError(`the data directory ${dir} is in use ${how}; one server can own it at a time`);
}
