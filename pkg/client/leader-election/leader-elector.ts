import { sleep, systemClock, type Clock } from '../../apimachinery/clock.ts';
import { callWithin } from '../call-within.ts';
import type { EventRecorder } from '../events/event-recorder.ts';
import { withoutLeaderElectionMetrics, type LeaderElectionMetrics } from './leader-election-metrics.ts';
import { LockHolder } from './lock-holder.ts';
import type { ResourceLock } from './resource-lock.ts';

const LEASE_DURATION_MS = 15_000;
const RENEW_DEADLINE_MS = 10_000;
const RETRY_PERIOD_MS = 2_000;
/** Candidates wait up to so many retry periods more, by chance, so that they do not all come at once. */
const JITTER = 1.2;

export interface LeaderElectionOptions {
  /** Label `name` of the metric. */
  readonly name: string;
  readonly lock: ResourceLock;
  /** Differs from that of every other candidate. */
  readonly identity: string;
  /** How long others wait, after a renewal that they saw, before they take over. */
  readonly leaseDurationMs?: number;
  /** How long a leader leads after a renewal that it began; shorter than the lease. */
  readonly renewDeadlineMs?: number;
  readonly retryPeriodMs?: number;
  /** Gives the lock up when `run` is cancelled, once the work has ended. */
  readonly releaseOnCancel?: boolean;
  readonly clock?: Clock;
  /** From 0 up to, and without, 1. */
  readonly random?: () => number;
  readonly metrics?: LeaderElectionMetrics;
  readonly recorder?: EventRecorder;
  /** Failures of reading and writing the lock, and of callbacks; the election goes on. */
  readonly onError: (error: unknown) => void;
  /**
   * Begins the work of the leader. `signal` aborts when leadership ends, and the work is to end at once then: its
   * promise resolves when it has. Where it rejects, leadership ends and `run` rejects with the same error.
   */
  readonly onStartedLeading: (signal: AbortSignal) => void | Promise<void>;
  /** Leadership has ended, or `run` was cancelled before it began. */
  readonly onStoppedLeading: () => void;
  /** The lock has a holder that this candidate did not see there before, perhaps itself. */
  readonly onNewLeader?: (identity: string) => void;
}

/** Leadership has ended: the reason of the work's signal. */
export class LeadershipLost extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'LeadershipLost';
  }
}

/**
 * Elects one leader among candidates that share a lock. A leader stops when it could not renew for the renew deadline,
 * counted by its own monotonic clock from the beginning of its last successful renewal. That is before another
 * candidate takes the lock, since each waits for the longer lease duration after having seen that renewal. A process
 * that was paused for longer is no leader when it continues, before any timer has fired: `isLeader` reads the clock.
 */
export class LeaderElector {
  private readonly options: LeaderElectionOptions;
  private readonly clock: Clock;
  private readonly random: () => number;
  private readonly metrics: LeaderElectionMetrics;
  private readonly holder: LockHolder;
  private readonly leaseDurationMs: number;
  private readonly renewDeadlineMs: number;
  private readonly retryPeriodMs: number;
  /** Aborted when leadership ends; absent before it begins. */
  private leading: AbortController | undefined;
  /** When the last successful attempt began, by the steady clock. */
  private renewedMs = 0;
  private reportedLeader = '';

  constructor(options: LeaderElectionOptions) {
    const { clock = systemClock, leaseDurationMs = LEASE_DURATION_MS } = options;
    this.options = options;
    this.clock = clock;
    this.random = options.random ?? Math.random;
    this.metrics = options.metrics ?? withoutLeaderElectionMetrics;
    this.leaseDurationMs = leaseDurationMs;
    this.renewDeadlineMs = options.renewDeadlineMs ?? RENEW_DEADLINE_MS;
    this.retryPeriodMs = options.retryPeriodMs ?? RETRY_PERIOD_MS;
    const problem = this.periodProblem();
    if (problem !== undefined) throw new RangeError(problem);
    this.holder = new LockHolder({ lock: options.lock, identity: options.identity, leaseDurationMs, clock });
    this.metrics.leading(options.name, false);
  }

  /** The holder of the lock as this candidate saw it last; empty without one. */
  get leader(): string {
    return this.holder.holder;
  }

  /** Whether it leads at this moment. Ask right before each write of a leader, as `leadingClient` does. */
  isLeader(): boolean {
    if (this.leading === undefined || this.leading.signal.aborted) return false;
    if (this.leftMs() > 0) return true;
    this.leading.abort(new LeadershipLost('the lease was not renewed in time'));
    return false;
  }

  /**
   * Waits for leadership and leads; resolves when leadership has ended, or `signal` aborts. May be called again
   * then.
   */
  async run(signal: AbortSignal): Promise<void> {
    if (await this.acquire(signal)) await this.lead(signal);
    else this.call(this.options.onStoppedLeading);
  }

  private async acquire(signal: AbortSignal): Promise<boolean> {
    while (!signal.aborted) {
      if ((await this.attempt(signal, this.renewDeadlineMs)) && this.leftMs() > 0) return true;
      await sleep(this.clock, this.retryPeriodMs * (1 + JITTER * this.random()), signal);
    }
    return false;
  }

  private async lead(cancelled: AbortSignal): Promise<void> {
    const leading = new AbortController();
    this.leading = leading;
    const cancel = (): void => leading.abort(new LeadershipLost('the election was cancelled'));
    if (cancelled.aborted) cancel();
    cancelled.addEventListener('abort', cancel, { once: true });
    this.began();
    const work = this.beginWork(leading);
    await this.renewUntilLost(leading);
    cancelled.removeEventListener('abort', cancel);
    this.ended();
    const outcome = await this.untilLeaseEnds(work);
    if (outcome !== undefined && this.options.releaseOnCancel && cancelled.aborted) await this.release();
    if (outcome?.failed) throw outcome.error;
  }

  /** Resolves, never rejects, when the work has ended; ends leadership where it failed. */
  private async beginWork(leading: AbortController): Promise<WorkOutcome> {
    try {
      await this.options.onStartedLeading(leading.signal);
      return { failed: false };
    } catch (error) {
      // Work that ends with the reason of its signal did as it was asked.
      if (leading.signal.aborted && error === leading.signal.reason) return { failed: false };
      leading.abort(new LeadershipLost('the work of the leader failed'));
      return { failed: true, error };
    }
  }

  private async renewUntilLost(leading: AbortController): Promise<void> {
    await sleep(this.clock, Math.min(this.retryPeriodMs, this.leftMs()), leading.signal);
    while (this.isLeader()) {
      await this.attempt(leading.signal, this.leftMs());
      if (!leading.signal.aborted && this.leader !== this.options.identity) {
        leading.abort(new LeadershipLost(`the lock is held by ${JSON.stringify(this.leader)}`));
      }
      await sleep(this.clock, Math.max(0, Math.min(this.retryPeriodMs, this.leftMs())), leading.signal);
    }
  }

  /**
   * One try at the lock, given up after `timeoutMs`. Only one that succeeded in time counts as a renewal, from its
   * beginning on.
   */
  private async attempt(signal: AbortSignal, timeoutMs: number): Promise<boolean> {
    const startMs = this.clock.steadyMs();
    try {
      const isHeld = await callWithin(this.clock, timeoutMs, signal, (each) => this.holder.acquireOrRenew(each));
      if (isHeld) this.renewedMs = startMs;
      return isHeld;
    } catch (error) {
      if (!signal.aborted) this.options.onError(error);
      return false;
    } finally {
      this.reportLeader();
    }
  }

  private leftMs(): number {
    return this.renewedMs + this.renewDeadlineMs - this.clock.steadyMs();
  }

  private began(): void {
    this.metrics.leading(this.options.name, true);
    this.recordEvent('became leader');
  }

  private ended(): void {
    this.metrics.leading(this.options.name, false);
    this.recordEvent('stopped leading');
    this.call(this.options.onStoppedLeading);
  }

  private recordEvent(change: string): void {
    const { identity, recorder, lock } = this.options;
    const reason = 'LeaderElection';
    recorder?.event(lock.regarding, { type: 'Normal', reason, action: reason, note: `${identity} ${change}` });
  }

  /** The result of the work; undefined where it continues beyond the lease, which must not be released then. */
  private async untilLeaseEnds(work: Promise<WorkOutcome>): Promise<WorkOutcome | undefined> {
    const done = new AbortController();
    const lease = sleep(this.clock, this.renewedMs + this.leaseDurationMs - this.clock.steadyMs(), done.signal);
    const outcome = await Promise.race([work, lease.then(() => undefined)]);
    done.abort();
    // It is late, but its failure is no secret.
    if (outcome === undefined) {
      void work.then((late) => (late.failed ? this.options.onError(late.error) : undefined));
    }
    return outcome;
  }

  private async release(): Promise<void> {
    const { signal } = new AbortController();
    try {
      await callWithin(this.clock, this.renewDeadlineMs, signal, (each) => this.holder.release(each));
    } catch (error) {
      this.options.onError(error);
    }
  }

  private reportLeader(): void {
    const { leader } = this;
    const { onNewLeader } = this.options;
    if (leader === '' || leader === this.reportedLeader) return;
    this.reportedLeader = leader;
    if (onNewLeader !== undefined) this.call(() => onNewLeader(leader));
  }

  private call(callback: () => void): void {
    try {
      callback();
    } catch (error) {
      this.options.onError(error);
    }
  }

  private periodProblem(): string | undefined {
    if (this.options.identity === '') return 'a candidate needs an identity';
    if (this.leaseDurationMs < 1000) return 'the lease duration must be at least a second';
    if (this.leaseDurationMs <= this.renewDeadlineMs)
      return 'the lease duration must be longer than the renew deadline';
    if (this.renewDeadlineMs <= this.retryPeriodMs * JITTER)
      return `the renew deadline must be longer than ${JITTER} retry periods`;
    return this.retryPeriodMs > 0 ? undefined : 'the retry period must be more than 0';
  }
}

type WorkOutcome = { readonly failed: false } | { readonly failed: true; readonly error: unknown };
