/**
 * Collects operations while a flush to disk is in flight and passes them on together, so that thousands of concurrent
 * commits share a few flushes. Order is kept: one group is written at a time. An operation's promise resolves only
 * after its group's write has.
 */

export interface GroupCommitOptions<Op> {
  /** Makes a group durable, all of it or nothing. */
  readonly write: (group: readonly Op[]) => Promise<void>;
  /** Runs right after a durable write and before its promises resolve. */
  readonly onDurable: (group: readonly Op[]) => void;
  /**
   * Runs after a failed write, with its operations and all that were waiting behind them; returns what their promises
   * reject with.
   */
  readonly onFailure: (dropped: readonly Op[], cause: unknown) => Error;
  /** Most operations in a group: bounds the turn that prepares the write. */
  readonly groupMax: number;
}

interface Waiting<Op> {
  readonly op: Op;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

export class GroupCommit<Op> {
  readonly #options: GroupCommitOptions<Op>;
  #queue: Waiting<Op>[] = [];
  #running: Promise<void> | undefined;

  constructor(options: GroupCommitOptions<Op>) {
    this.#options = options;
  }

  /** Resolves when the operation is durable. */
  add(op: Op): Promise<void> {
    const { promise, resolve, reject } = withResolvers();
    this.#queue.push({ op, resolve, reject });
    this.#running ??= this.#run();
    return promise;
  }

  /** Resolves when everything added so far is durable or has failed. */
  async drained(): Promise<void> {
    while (this.#running !== undefined) await this.#running;
  }

  async #run(): Promise<void> {
    // Commits of the same turn join the first group.
    await Promise.resolve();
    while (this.#queue.length > 0) {
      const group = this.#queue.splice(0, this.#options.groupMax);
      const ops = group.map((waiting) => waiting.op);
      try {
        await this.#options.write(ops);
      } catch (cause) {
        // The pending operations were decided on top of the failed group, so they cannot be written either.
        const dropped = [...group, ...this.#queue.splice(0)];
        const error = this.#options.onFailure(
          dropped.map((waiting) => waiting.op),
          cause,
        );
        for (const waiting of dropped) waiting.reject(error);
        continue;
      }
      this.#options.onDurable(ops);
      for (const waiting of group) waiting.resolve();
    }
    this.#running = undefined;
  }
}

function withResolvers(): { promise: Promise<void>; resolve: () => void; reject: (error: Error) => void } {
  let resolve!: () => void;
  let reject!: (error: Error) => void;
  const promise = new Promise<void>((onDone, onError) => {
    resolve = onDone;
    reject = onError;
  });
  return { promise, resolve, reject };
}
