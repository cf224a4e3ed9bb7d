import { readFileSync, statSync } from 'node:fs';

export interface ReloadedFileSettings<T> {
  readonly file: string;
  /** Reads the content; what it throws is wrong with the content. */
  readonly parse: (text: string) => T;
  /** Told of a file that changed into one that cannot be read; the value from before stays. */
  readonly onError: (error: unknown) => void;
  readonly nowMs: () => number;
}

/** Time between two looks at a file. */
const CHECK_MS = 5000;

/**
 * A file's content, read again when the file has changed: looked at when the value is asked for, at most every few seconds. Throws what `parse`
 * throws when the first content cannot be read.
 */
export function reloadedFile<T>({ file, parse, onError, nowMs }: ReloadedFileSettings<T>): () => T {
  let state = stateOf(file);
  let value = parse(readFileSync(file, 'utf8'));
  let checkedMs = nowMs();
  return () => {
    const now = nowMs();
    if (now - checkedMs < CHECK_MS) return value;
    checkedMs = now;
    try {
      const found = stateOf(file);
      if (found !== state) {
        value = parse(readFileSync(file, 'utf8'));
        state = found;
      }
    } catch (error) {
      onError(error);
    }
    return value;
  };
}

/** Differs when the file was written or another one took its place. */
function stateOf(file: string): string {
  const { ino, size, mtimeMs } = statSync(file);
  return `${ino} ${size} ${mtimeMs}`;
}
