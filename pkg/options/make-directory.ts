import { existsSync, mkdirSync, statSync } from 'node:fs';
import path from 'node:path';

/**
 * Makes a directory, and the missing ones above it. Throws errors of the file system: Node's own recursive `mkdir`
 * loops forever where one cannot be made in an existing directory, as in `/proc`.
 */
export function makeDirectory(dir: string, mode: number): void {
  const parent = path.dirname(dir);
  if (!existsSync(parent)) makeDirectory(parent, mode);
  try {
    mkdirSync(dir, { mode });
  } catch (error) {
    if (
      (error as NodeJS.ErrnoException).code !== 'EEXIST' ||
      statSync(dir, { throwIfNoEntry: false })?.isDirectory() !== true
    )
      throw error;
  }
}
