import { constants, type Stats } from 'node:fs';
import { open, readlink, realpath, stat, type FileHandle } from 'node:fs/promises';
import path from 'node:path';

/** Something below a directory, open. */
export interface OpenEntry {
  readonly handle: FileHandle;
  readonly stats: Stats;
  /** A path to it, where the system has one, valid even after a replacement. */
  readonly way: string;
}

/**
 * Opens a file or directory below `root` for reading; `segments` are names, none of them `.` or `..`. Undefined for
 * other types, or targets outside after links are followed. Rejects with the system's error where it can't be opened.
 */
export async function openInside(root: string, segments: readonly string[]): Promise<OpenEntry | undefined> {
  const realRoot = await realpath(root);
  const realPath = await realpath(path.join(realRoot, ...segments));
  if (realPath !== realRoot && !realPath.startsWith(realRoot === path.sep ? realRoot : `${realRoot}${path.sep}`))
    return undefined;
  const before = await stat(realPath);
  if (!isServed(before)) return undefined;
  // A replacement may be a pipe, at which opening would wait, or a link.
  const handle = await open(realPath, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const stats = await handle.stat();
    // Still the same, and at its place: no directory on the way was a link when it was opened.
    const place = await placeOf(handle);
    const same =
      stats.dev === before.dev &&
      stats.ino === before.ino &&
      isServed(stats) &&
      (place ?? (await realpath(realPath))) === realPath;
    if (same) return { handle, stats, way: place === undefined ? realPath : descriptorPath(handle) };
  } catch (error) {
    await handle.close();
    throw error;
  }
  await handle.close();
  return undefined;
}

/**
 * The real path of the opened file, whatever its path leads to by now; undefined where the system does not report it.
 */
async function placeOf(handle: FileHandle): Promise<string | undefined> {
  try {
    return await readlink(descriptorPath(handle));
  } catch {
    // No /proc on this system: the caller compares the resolved path instead.
    return undefined;
  }
}

/** Only Linux has this. */
function descriptorPath({ fd }: FileHandle): string {
  return `/proc/self/fd/${fd}`;
}

function isServed(stats: Stats): boolean {
  return stats.isFile() || stats.isDirectory();
}
