import { readFileSync } from 'node:fs';
import { fileErrorText } from '../../options/readable-file.ts';

/** Text of a file. Throws an Error that says what is wrong with it, naming the file. */
export function readPemFile(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new Error(`${file}: ${fileErrorText(error)}`);
  }
}

/** What `read` makes of a file's content; where it throws, an Error with the problem, naming the file. */
export function understand<T>(file: string, problem: string, read: () => T): T {
  try {
    return read();
  } catch {
    throw new Error(`${file}: ${problem}`);
  }
}
