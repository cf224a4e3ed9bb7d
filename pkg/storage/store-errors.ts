/** Errors that every Store implementation throws. The registry translates them to Status errors in one place. */

/** The asked revision is below the compacted one. */
export class CompactedError extends Error {
  readonly compactRevision: number;
  constructor(compactRevision: number) {
    super(`required revision has been compacted (compacted at ${compactRevision})`);
    this.name = 'CompactedError';
    this.compactRevision = compactRevision;
  }
}

/** The asked revision is above the newest one. */
export class FutureRevisionError extends Error {
  readonly currentRevision: number;
  constructor(currentRevision: number) {
    super(`required revision is a future revision (current ${currentRevision})`);
    this.name = 'FutureRevisionError';
    this.currentRevision = currentRevision;
  }
}

/** The store cannot be reached or did not answer in time; a write may or may not have happened when `ambiguous`. */
export class StoreUnavailableError extends Error {
  readonly ambiguous: boolean;
  constructor(message: string, options: { ambiguous?: boolean; cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.name = 'StoreUnavailableError';
    this.ambiguous = options.ambiguous ?? false;
  }
}
