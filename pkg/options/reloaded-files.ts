import { statSync } from 'node:fs';

export interface ReloadedFilesSettings<T> {
  readonly files: readonly string[];
  /** Makes the value from the content of the files; an error it throws is a problem of the files. */
  readonly read: () => T;
  /**
   * Called once for each change after which the value cannot be made; the previous value stays, and making it is
   * retried.
   */
  readonly onError: (error: unknown) => void;
  /** Of a monotonic clock: with another one, set back by hours, the old value would stay that long. */
  readonly nowMs: () => number;
}

/** Interval of checks of the files. */
const CHECK_MS = 5000;

/**
 * A value made from files, and made again when one of them has changed: they are checked when the value is read, at
 * most every few seconds. Throws the error of `read` when the value cannot be made at first.
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

/** Differs when the file was written or replaced; also when it is missing. */
function stateOf(file: string): string {
  try {
    const { ino, size, mtimeMs, ctimeMs } = statSync(file);
    return `${ino} ${size} ${mtimeMs} ${ctimeMs}`;
  } catch (error) {
    return String((error as NodeJS.ErrnoException).code);
  }
}
