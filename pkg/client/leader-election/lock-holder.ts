import type { Clock } from '../../apimachinery/clock.ts';
import { isConflict } from '../../apimachinery/errors/status-error.ts';
import type { LeaderRecord } from './leader-record.ts';
import type { ObservedRecord, ResourceLock } from './resource-lock.ts';

export interface LockHolderOptions {
  readonly lock: ResourceLock;
  readonly identity: string;
  readonly leaseDurationMs: number;
  readonly clock: Clock;
}

/**
 * One candidate's view of a lock: what it saw last, and when by its own monotonic clock. Another candidate's lease is
 * over when its record has not changed for the lease's duration since this candidate saw it; times inside the record
 * are never compared with the own clock.
 */
export class LockHolder {
  private readonly lock: ResourceLock;
  private readonly identity: string;
  private readonly leaseDurationMs: number;
  private readonly clock: Clock;
  private observed: ObservedRecord | undefined;
  private observedAtMs = 0;

  constructor({ lock, identity, leaseDurationMs, clock }: LockHolderOptions) {
    this.lock = lock;
    this.identity = identity;
    this.leaseDurationMs = leaseDurationMs;
    this.clock = clock;
  }

  /** The holder of the lock as seen last; empty without one. */
  get holder(): string {
    return this.observed?.record.holderIdentity ?? '';
  }

  /** Takes the lock where it is free or over, renews it where it is held already: whether it is held then. */
  async acquireOrRenew(signal: AbortSignal): Promise<boolean> {
    if (this.holder === this.identity && (await this.renewAsSeen(signal))) return true;
    signal.throwIfAborted();
    const stored = await this.lock.get({ signal });
    signal.throwIfAborted();
    if (stored === undefined) {
      this.observe(await this.lock.create(this.newRecord(undefined), { signal }));
      return true;
    }
    this.observe(stored);
    if (this.holder !== '' && this.holder !== this.identity && !this.isOver(stored.record)) return false;
    this.observe(await this.lock.update(this.newRecord(stored.record), { signal }));
    return true;
  }

  /**
   * Gives the lock up, so that others need not wait for its end. Nothing happens where it is not held. A renewal that
   * was cancelled may still reach the server between the read and the write: then it is read again.
   */
  async release(signal: AbortSignal): Promise<void> {
    for (;;) {
      signal.throwIfAborted();
      const stored = await this.lock.get({ signal });
      signal.throwIfAborted();
      if (stored === undefined || stored.record.holderIdentity !== this.identity) return;
      try {
        this.observe(await this.lock.update(this.freeRecord(stored.record), { signal }));
        return;
      } catch (error) {
        if (!isConflict(error)) throw error;
      }
    }
  }

  private freeRecord({ leaderTransitions }: LeaderRecord): LeaderRecord {
    const nowMs = this.clock.wallMs();
    return {
      holderIdentity: '',
      leaseDurationSeconds: 1,
      acquireTimeMs: nowMs,
      renewTimeMs: nowMs,
      leaderTransitions,
    };
  }

  /** Renews by one write, without a read before it; false after a conflict. */
  private async renewAsSeen(signal: AbortSignal): Promise<boolean> {
    try {
      this.observe(await this.lock.update(this.newRecord(this.observed?.record), { signal }));
      return true;
    } catch (error) {
      if (!isConflict(error)) throw error;
      return false;
    }
  }

  private newRecord(previous: LeaderRecord | undefined): LeaderRecord {
    const nowMs = this.clock.wallMs();
    const isOwn = previous?.holderIdentity === this.identity;
    return {
      holderIdentity: this.identity,
      leaseDurationSeconds: Math.ceil(this.leaseDurationMs / 1000),
      acquireTimeMs: isOwn ? previous.acquireTimeMs : nowMs,
      renewTimeMs: nowMs,
      leaderTransitions: previous === undefined ? 0 : previous.leaderTransitions + (isOwn ? 0 : 1),
    };
  }

  private observe(record: ObservedRecord): void {
    if (record.raw !== this.observed?.raw) this.observedAtMs = this.clock.steadyMs();
    this.observed = record;
  }

  private isOver({ leaseDurationSeconds }: LeaderRecord): boolean {
    const durationMs = leaseDurationSeconds > 0 ? leaseDurationSeconds * 1000 : this.leaseDurationMs;
    return this.clock.steadyMs() >= this.observedAtMs + durationMs;
  }
}
