/** Errors that every Store implementation throws. The registry translates them to Status errors in one place. */

/** The requested revision is below the compacted one. */
export class CompactedError extends Error {
  readonly compactRevision: number;
  constructor(compactRevision: number) {
    super(`required revision has been compacted (compacted at ${compactRevision})`);
    this.name = 'CompactedError';
    this.compactRevision = compactRevision;
  }
}

/** The requested revision is above the newest one. */
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

/** The store has no room for the write, as when its disk is full. Nothing was written; reads continue. */
export class StoreFullError extends StoreUnavailableError {
  constructor(path: string, options: { cause?: unknown } = {}) {
    super(`no space left on the disk for ${path}`, options);
    this.name = 'StoreFullError';
  }
}

/**
 * The store's revisions went backwards or it became another store: an operator restored a backup. What was read before
 * is not comparable with the present content, so everything derived from the store has to be loaded again.
 */
export class StoreRewoundError extends StoreUnavailableError {
  readonly knownRevision: number;
  readonly currentRevision: number;
  constructor(knownRevision: number, currentRevision: number) {
    super(`the store went back from revision ${knownRevision} to ${currentRevision}, as after restoring a backup`);
    this.name = 'StoreRewoundError';
    this.knownRevision = knownRevision;
    this.currentRevision = currentRevision;
  }
}

/**
 * The key cannot be stored: empty, longer than `keyBytesMax`, or with a NUL character or half a surrogate pair. Only
 * writes throw it; reads find no such key.
 */
export class InvalidKeyError extends Error {
  constructor(reason: string) {
    super(`invalid key: ${reason}`);
    this.name = 'InvalidKeyError';
  }
}

/** The value is larger than the store takes in one write. Nothing was written. */
export class ValueTooLargeError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ValueTooLargeError';
  }
}
