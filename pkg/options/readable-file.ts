import { closeSync, fstatSync, openSync } from 'node:fs';

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EACCES: 'must not be read by this user',
  ENOTDIR: 'there is no such file',
  EISDIR: 'is a directory',
  ELOOP: 'is a link to itself',
};

/** Why a file that an option names cannot be read; undefined when it can. */
export function fileProblem(path: string): string | undefined {
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch (error) {
    return fileErrorText(error);
  }
  try {
    return fstatSync(file).isDirectory() ? reasons['EISDIR'] : undefined;
  } finally {
    closeSync(file);
  }
}

/** The meaning of a file system error for the person who named the file. */
export function fileErrorText(error: unknown): string {
  const { code = '', message } = error as NodeJS.ErrnoException;
  return (Object.hasOwn(reasons, code) ? reasons[code] : undefined) ?? `cannot be read: ${message}`;
}
