import { createRequire } from 'node:module';
import { closeSync, constants, openSync } from 'node:fs';
import { StoreUnavailableError } from '../store-errors.ts';

/** The part of `fs-native-extensions` in use; it has no types of its own. */
interface LockCalls {
  /** False when another open file holds a lock on the range. Length 0: to the end of the file. */
  tryLock(fd: number, offset?: number, length?: number): boolean;
}

const { tryLock } = createRequire(import.meta.url)('fs-native-extensions') as LockCalls;

/**
 * Opens the file, created when absent, and locks it for this open file alone: the kernel drops the lock when the
 * descriptor is closed or its process ends, and knows it in every process on the machine, in all namespaces. Undefined
 * when another process holds it.
 */
export function openLocked(path: string): number | undefined {
  const fd = openSync(path, constants.O_RDWR | constants.O_CREAT, 0o600);
  try {
    if (locked(fd, path)) return fd;
  } catch (error) {
    closeSync(fd);
    throw error;
  }
  closeSync(fd);
  return undefined;
}

/**
 * Whether another process has a lock on the first byte of the file, as LMDB has while a database is open. False where
 * there is no file.
 */
export function isLockedElsewhere(path: string): boolean {
  let fd: number;
  try {
    fd = openSync(path, constants.O_RDWR);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
  try {
    return !locked(fd, path, 1);
  } finally {
    closeSync(fd);
  }
}

function locked(fd: number, path: string, length = 0): boolean {
  try {
    return tryLock(fd, 0, length);
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code ?? (cause as Error).message;
    throw new StoreUnavailableError(
      `${path} cannot be locked (${code}): the embedded store needs a file system with locks`,
      { cause },
    );
  }
}
