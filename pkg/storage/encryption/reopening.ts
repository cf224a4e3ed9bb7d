import { KeyServiceError, type OpenedValue } from './value-transformer.ts';

/** Interval of retries after the key service failed, milliseconds. */
const RETRY_MS = 3000;
/** Number of values that are retried; when one of them decrypts, all are read again. */
const VALUES_MAX = 100;

type Open = () => Promise<OpenedValue> | OpenedValue;

/**
 * Remembers values that could not be decrypted because their key service did not answer, and reports when one of them
 * can be.
 */
export class Reopening {
  private readonly values = new Map<string, Open>();
  private readonly onReopened: () => boolean;
  private readonly retryMs: number;
  private timer: NodeJS.Timeout | undefined;

  /** `onReopened`: returns false when no watch was open; then it is called again. */
  constructor(onReopened: () => boolean, retryMs = RETRY_MS) {
    this.onReopened = onReopened;
    this.retryMs = retryMs;
  }

  /** Only errors of a key service: no other goes away with time. */
  failed(key: string, error: unknown, open: Open): void {
    if (!(error instanceof KeyServiceError) || (this.values.size >= VALUES_MAX && !this.values.has(key))) return;
    this.values.set(key, open);
    this.plan();
  }

  /** The value was removed or replaced. */
  forget(key: string): void {
    this.values.delete(key);
  }

  stop(): void {
    this.values.clear();
    clearTimeout(this.timer);
  }

  private plan(): void {
    if (this.timer !== undefined) return;
    this.timer = setTimeout(() => void this.look(), this.retryMs);
    this.timer.unref();
  }

  private async look(): Promise<void> {
    for (const open of this.values.values()) {
      if (!(await opens(open))) continue;
      // All of them are read again, and those that still cannot be decrypted come back.
      if (this.onReopened()) this.values.clear();
      break;
    }
    this.timer = undefined;
    if (this.values.size > 0) this.plan();
  }
}

async function opens(open: Open): Promise<boolean> {
  try {
    await open();
    return true;
  } catch {
    // Failed again: the value stays in the queue, and the caller plans the next attempt.
    return false;
  }
}
