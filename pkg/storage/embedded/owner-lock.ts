/**
 * One process owns a data directory: the store decides compare-and-swap in memory, so a second writer would break it. The lock is a file
 * with the owner's process id and start time; the start time tells a live owner from another process that got the same id, which is the
 * rule in containers, where every server is process 1.
 */
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { randomUUID } from 'node:crypto';
import { makeDirectory } from '../../options/make-directory.ts';
import { StoreUnavailableError } from '../store-errors.ts';

const heldHere = new Set<string>();

export class OwnerLock {
  readonly #path: string;
  readonly #content: string;

  /** Takes the lock of `dir`, created when absent. Throws `StoreUnavailableError` naming the owner when it is alive. */
  constructor(dir: string) {
    makeDirectory(dir, 0o700);
    this.#path = join(dir, 'owner.lock');
    this.#content = `${process.pid} ${startTime(process.pid) ?? '-'} ${randomUUID()}\n`;
    if (!this.#create()) {
      this.#removeStale(dir);
      if (!this.#create()) throw inUse(dir, readLock(this.#path));
    }
    heldHere.add(this.#content);
  }

  release(): void {
    heldHere.delete(this.#content);
    if (readLock(this.#path) === this.#content) rmSync(this.#path, { force: true });
  }

  /** Links a complete file into place, so that nobody ever reads half a lock. False when there is a lock already. */
  #create(): boolean {
    const draft = `${this.#path}.${randomUUID()}`;
    writeFileSync(draft, this.#content, { mode: 0o600 });
    try {
      linkSync(draft, this.#path);
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
      throw error;
    } finally {
      rmSync(draft, { force: true });
    }
  }

  #removeStale(dir: string): void {
    const found = readLock(this.#path);
    if (found === undefined) return;
    if (isAlive(found)) throw inUse(dir, found);
    const aside = `${this.#path}.${randomUUID()}`;
    try {
      renameSync(this.#path, aside);
    } catch {
      return; // Somebody else is removing it as well: whoever links a lock first wins.
    }
    // Between reading and renaming another process may have taken the stale lock over: then this is its lock, and it goes back.
    if (readLock(aside) !== found) {
      try {
        linkSync(aside, this.#path);
      } finally {
        rmSync(aside, { force: true });
      }
      throw inUse(dir, readLock(this.#path));
    }
    rmSync(aside, { force: true });
  }
}

function readLock(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

function isAlive(content: string): boolean {
  const [pidText = '', started = '-'] = content.trim().split(' ');
  const pid = Number(pidText);
  if (!Number.isInteger(pid) || pid <= 0) return false;
  if (pid === process.pid) return heldHere.has(content);
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
  }
  const now = startTime(pid);
  return now === undefined || started === '-' || now === started;
}

/** Clock ticks from boot to the process's start (proc(5), field 22 of stat); undefined where there is no /proc. */
function startTime(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name in parentheses may hold spaces: count from its end.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  } catch {
    return undefined;
  }
}

function inUse(dir: string, content: string | undefined): StoreUnavailableError {
  const pid = content?.split(' ')[0];
  const owner = pid === undefined ? 'another process' : `process ${pid}`;
  return new StoreUnavailableError(`the data directory ${dir} is in use by ${owner}; one server can own it at a time`);
}
