import { statSync } from 'node:fs';

export interface ReloadedFilesSettings<T> {
  readonly files: readonly string[];
  /** Makes the value from what the files hold now; what it throws is wrong with them. */
  readonly read: () => T;
  /**
   * Told once of each change after which the value cannot be made; the one from before stays, and making it is tried
   * again.
   */
  readonly onError: (error: unknown) => void;
  /** Of a clock that nobody sets: set back by hours, another would keep what the files held before for as long. */
  readonly nowMs: () => number;
}

/** Time between two looks at the files. */
const CHECK_MS = 5000;

/**
 * What is made from files, made again when one of them has changed: they are looked at when the value is asked for, at
 * most every few seconds. Throws what `read` throws when it cannot be made at first.
 */
export function reloadedFiles<T>({ files, read, onError, nowMs }: ReloadedFilesSettings<T>): () => T {
  const look = (): string => files.map(stateOf).join();
  let state = look();
  let failed = '';
  let value = read();
  let checkedMs = nowMs();
  return () => {
    const now = nowMs();
    if (now - checkedMs < CHECK_MS) return value;
    checkedMs = now;
    const found = look();
    if (found === state) return value;
    try {
      value = read();
      state = found;
    } catch (error) {
      if (found !== failed) onError(error);
      failed = found;
    }
    return value;
  };
}

/** Differs when the file was written or another one took its place; also when it is not there. */
function stateOf(file: string): string {
  try {
    const { ino, size, mtimeMs, ctimeMs } = statSync(file);
    return `${ino} ${size} ${mtimeMs} ${ctimeMs}`;
  } catch (error) {
    return String((error as NodeJS.ErrnoException).code);
  }
}
