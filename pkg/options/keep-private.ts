import { chmodSync, lstatSync } from 'node:fs';

/** Errors of a file system on which this user cannot change modes. */
const refusals: ReadonlySet<string> = new Set(['EPERM', 'EROFS', 'EACCES', 'ENOTSUP']);

const OF_OTHERS = 0o077;
const STICKY = 0o1000;

/**
 * Removes all rights of other users to a file or directory that exists: an earlier release, a copy or a restored backup
 * may have set them. Other users' files, links and devices stay unchanged, and so does a directory for all users, such
 * as `/tmp`.
 */
export function keepPrivate(path: string): void {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (
    stats === undefined ||
    !(stats.isFile() || stats.isDirectory()) ||
    (stats.mode & OF_OTHERS) === 0 ||
    (stats.mode & STICKY) !== 0
  )
    return;
  try {
    chmodSync(path, stats.mode & 0o7777 & ~OF_OTHERS);
  } catch (error) {
    if (!refusals.has((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
}
