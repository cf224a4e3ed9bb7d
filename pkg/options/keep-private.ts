import { chmodSync, lstatSync } from 'node:fs';

/** What a file system says that lets this user change no rights. */
const refusals: ReadonlySet<string> = new Set(['EPERM', 'EROFS', 'EACCES', 'ENOTSUP']);

const OF_OTHERS = 0o077;
const STICKY = 0o1000;

/**
 * Takes all rights to a file or directory from everybody but its owner, where it is there and they have some: an
 * earlier release, a copy or a restored backup may have left them. What is another user's, a link or a device stays as
 * it is, and so does a directory that is meant for all, as `/tmp` is.
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
