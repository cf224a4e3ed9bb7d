import { closeSync, lstatSync, mkdtempSync, rmSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** The data of a cluster that ends with its process. */
export interface EphemeralDirectory {
  readonly path: string;
  remove(): void;
}

const PREFIX = 'binnacle-ephemeral-';
/** Between the moment when a store makes its lock file and when it holds the lock it may seem abandoned. */
const ABANDONED_AFTER_MS = 60_000;

/**
 * Process-wide: the directories that are removed when this process exits; one listener for all of them, since Node
 * warns about more than ten.
 */
const present = new Set<string>();

function removePresent(): void {
  for (const dir of present) removeDirectory(dir);
}

/** Makes a directory that is removed by `remove`, or when this process exits without that. */
export function makeEphemeralDirectory(): EphemeralDirectory {
  const dir = mkdtempSync(path.join(tmpdir(), PREFIX));
  if (present.size === 0) process.on('exit', removePresent);
  present.add(dir);
  return {
    path: dir,
    remove() {
      removeDirectory(dir);
      present.delete(dir);
      if (present.size === 0) process.off('exit', removePresent);
    },
  };
}

/** Removes what killed processes of this user have left: directories of which no process holds the store's lock. */
export async function removeAbandonedDirectories(parent = tmpdir(), now = Date.now()): Promise<void> {
  const names = (await namesIn(parent)).filter((name) => name.startsWith(PREFIX));
  const dirs = names.map((name) => path.join(parent, name)).filter((dir) => !present.has(dir));
  if (dirs.length === 0) return;
  const { openLocked } = await import('../storage/embedded/kernel-lock.ts');
  for (const dir of dirs) {
    try {
      const found = lstatSync(dir);
      if (!found.isDirectory() || found.uid !== process.getuid?.()) continue;
      const lock = path.join(dir, 'store', 'owner.lock');
      if (now - lstatSync(lock).mtimeMs < ABANDONED_AFTER_MS) continue;
      const held = openLocked(lock);
      if (held === undefined) continue;
      removeDirectory(dir);
      closeSync(held);
    } catch {
      // It has no store yet, or another process removes it at the same time.
    }
  }
}

async function namesIn(dir: string): Promise<readonly string[]> {
  try {
    return await readdir(dir);
  } catch {
    // Directories can be made in it, but not be listed.
    return [];
  }
}

function removeDirectory(dir: string): void {
  rmSync(dir, { recursive: true, force: true });
}
