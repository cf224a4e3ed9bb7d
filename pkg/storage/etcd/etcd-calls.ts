/** Calls to etcd with the store's errors, watched by the revision guard. */
import { setTimeout as sleep } from 'node:timers/promises';
import { toStoreError } from './call-errors.ts';
import { EtcdCallError, grpcStatus } from './etcd-call-error.ts';
import type { LeasePool } from './lease-pool.ts';
import type { RevisionGuard } from './revision-guard.ts';
import { settleSwap, unknownOutcome } from './settle-swap.ts';
import type { EtcdTransport, RangeAnswer, RangeCall, SwapAnswer, SwapCall } from './transport.ts';

const repeatPauseMs = 50;

export interface EtcdCallsOptions {
  readonly transport: EtcdTransport;
  readonly timeoutMs: number;
  readonly guard: RevisionGuard;
  readonly leases: LeasePool;
  /** The revision below which etcd has no history. */
  readonly compactRevision: () => Promise<number>;
  /** A key that never exists, within the store's prefix. */
  readonly absentKey: Uint8Array;
}

export class EtcdCalls {
  readonly #options: EtcdCallsOptions;

  constructor(options: EtcdCallsOptions) {
    this.#options = options;
  }

  async range(call: RangeCall, timeoutMs = this.#options.timeoutMs): Promise<RangeAnswer> {
    const { guard, transport } = this.#options;
    const known = guard.highest;
    try {
      const answer = await transport.range(call, { timeoutMs });
      guard.check(answer, known);
      return answer;
    } catch (error) {
      throw await this.translate(error);
    }
  }

  /** Throws `StoreRewoundError` when the store went back since the last answer. */
  async currentRevision(timeoutMs = this.#options.timeoutMs): Promise<number> {
    const { guard, transport, absentKey } = this.#options;
    const known = guard.highest;
    try {
      // Counting an absent key costs etcd no more than confirming its leader.
      const answer = await transport.range({ key: absentKey, countOnly: true }, { timeoutMs });
      const rewound = guard.check(answer, known);
      if (rewound !== undefined) throw rewound;
      return answer.revision;
    } catch (error) {
      throw await this.translate(error);
    }
  }

  /**
   * The call expects a revision, not a version. The result is what the store shows, also when an answer was lost.
   * Throws `StoreUnavailableError` (`ambiguous`) when it is unknown.
   */
  async swap(call: SwapCall, ttlSeconds?: number): Promise<SwapAnswer> {
    try {
      if (!ttlSeconds) return await this.#send(call);
      const lease = await this.#options.leases.lease(ttlSeconds);
      try {
        return await this.#send({ ...call, lease });
      } catch (error) {
        if (!(error instanceof EtcdCallError) || error.code !== grpcStatus.notFound) throw error;
        // The lease does not exist any more, as after restoring a backup, and so nothing was written.
        this.#options.leases.drop(lease);
        return await this.#send({ ...call, lease: await this.#options.leases.lease(ttlSeconds) });
      }
    } catch (error) {
      throw await this.translate(error);
    }
  }

  translate(error: unknown): Promise<unknown> {
    return toStoreError(error, {
      compactRevision: this.#options.compactRevision,
      currentRevision: () => this.currentRevision(),
    });
  }

  /**
   * Sends a swap; its result is known, or an error says that it is not. It is sent a second time only after a read
   * showed that the first had no effect, and only when it expects a revision: revisions never come back, so at most one
   * copy can succeed. A creation could succeed twice, around a deletion.
   */
  async #send(call: SwapCall): Promise<SwapAnswer> {
    const deadline = performance.now() + this.#options.timeoutMs;
    const sentAfter = this.#options.guard.highest;
    let lost: EtcdCallError | undefined;
    for (;;) {
      const answer: SwapAnswer | EtcdCallError = await this.#attempt(call, deadline - performance.now());
      if (!(answer instanceof EtcdCallError)) {
        if (answer.succeeded || lost === undefined) return answer;
      } else if (answer.mayHaveHappened) lost = answer;
      else if (lost === undefined) throw answer;
      const settled = await settleSwap({ call, sentAfter, cause: lost! }, (range) => this.range(range));
      if (settled !== undefined) return settled;
      if (call.compare.value === 0 || performance.now() >= deadline)
        throw unknownOutcome('the write may still happen', lost!);
      await sleep(repeatPauseMs);
    }
  }

  async #attempt(call: SwapCall, timeoutMs: number): Promise<SwapAnswer | EtcdCallError> {
    const { guard, transport } = this.#options;
    const known = guard.highest;
    try {
      const answer = await transport.swap(call, { timeoutMs });
      guard.check(answer, known);
      return answer;
    } catch (error) {
      if (error instanceof EtcdCallError) return error;
      throw error;
    }
  }
}
