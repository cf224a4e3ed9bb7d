/**
 * Notices when the store goes back, as after restoring a backup: a linearizable answer is older than one already seen,
 * or from another cluster.
 */
import { StoreRewoundError } from '../store-errors.ts';
import type { AnswerHeader } from './transport.ts';

export class RevisionGuard {
  readonly #onRewound: (error: StoreRewoundError) => void;
  #highest = 0;
  #clusterId = 0;

  constructor(onRewound: (error: StoreRewoundError) => void) {
    this.#onRewound = onRewound;
  }

  /** The newest revision seen. Take it before a call and give it to `check` with the answer. */
  get highest(): number {
    return this.#highest;
  }

  /**
   * Answers may overtake each other, so each is compared with the revision known when its call began. Returns the error
   * it reported, if any.
   */
  check(header: AnswerHeader, knownBefore: number): StoreRewoundError | undefined {
    const isOtherCluster = this.#clusterId !== 0 && header.clusterId !== this.#clusterId;
    if (header.revision >= knownBefore && !isOtherCluster) {
      this.#highest = Math.max(this.#highest, header.revision);
      this.#clusterId = header.clusterId;
      return undefined;
    }
    const error = new StoreRewoundError(this.#highest, header.revision);
    this.#highest = header.revision;
    this.#clusterId = header.clusterId;
    this.#onRewound(error);
    return error;
  }
}
