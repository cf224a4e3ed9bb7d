import { TokenBucket, type BucketSize } from '../../apimachinery/collections/token-bucket.ts';
import type { AuditBackend } from '../audit-backend.ts';
import type { AuditEvent } from '../event.ts';
import { deliver, type Delivery } from '../deliver.ts';
import { aborted } from '../with-abort.ts';
import { EventBuffer, type TakenEvents } from './event-buffer.ts';

/**
 * An event further in the future than this came before the clock was set back, milliseconds: how long it has waited is
 * unknown.
 */
const CLOCK_STEP_MS = 1000;

export interface BatchSettings {
  /** `--audit-*-batch-buffer-size`: pending events; more are dropped. */
  readonly bufferSize: number;
  /** `--audit-*-batch-max-size`. */
  readonly maxSize: number;
  /** `--audit-*-batch-max-wait`, milliseconds. */
  readonly maxWaitMs: number;
  /** `--audit-*-batch-throttle-*`; absent: no limit. */
  readonly throttle?: BucketSize;
  /** Batches in flight at a time. One keeps the order of events. */
  readonly inFlightMax: number;
  /** Bound of `close`, milliseconds. */
  readonly closeMs: number;
  readonly nowMs: () => number;
}

/**
 * Gathers events and writes them later, so that no request waits. Holds a bounded number and amount of them: when the
 * sink is slow or down, new ones are dropped and counted.
 */
export class BatchingBackend implements AuditBackend {
  private readonly delivery: Delivery;
  private readonly settings: BatchSettings;
  private readonly buffer: EventBuffer;
  private readonly bucket: TokenBucket | undefined;
  private readonly ended = new AbortController();
  private readonly inFlight = new Set<Promise<void>>();
  private timer: NodeJS.Timeout | undefined;
  private closing = false;

  constructor(delivery: Delivery, settings: BatchSettings) {
    const { throttle, nowMs } = settings;
    this.delivery = delivery;
    this.settings = settings;
    this.buffer = new EventBuffer(settings.bufferSize);
    this.bucket = throttle === undefined ? undefined : new TokenBucket(throttle, nowMs);
  }

  process(event: AuditEvent): undefined {
    if (this.closing || !this.buffer.add(event)) this.drop(1, this.closing ? 'the server stops' : 'the buffer is full');
    else if (this.buffer.length >= this.settings.maxSize) this.send();
    else this.timer ??= this.sendIn(this.settings.maxWaitMs);
  }

  async close(): Promise<void> {
    this.closing = true;
    const { sink } = this.delivery;
    sink.hurry();
    const bound = setTimeout(() => this.ended.abort(), this.settings.closeMs);
    const tooLate = aborted(this.ended.signal);
    while (!this.ended.signal.aborted && (this.buffer.length > 0 || this.inFlight.size > 0)) {
      this.send();
      await Promise.race([...this.inFlight, tooLate]);
    }
    clearTimeout(this.timer);
    await Promise.all(this.inFlight);
    const left = this.buffer.take(this.buffer.length).events.length;
    if (left > 0) this.drop(left, 'the server stops');
    await Promise.race([sink.close(), tooLate]);
    clearTimeout(bound);
  }

  /** Sends due batches, as far as the bounds allow. */
  private send(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    while (this.buffer.length > 0 && this.inFlight.size < this.settings.inFlightMax) {
      const waitMs = this.closing ? 0 : this.waitMs();
      if (waitMs > 0) {
        this.timer = this.sendIn(waitMs);
        return;
      }
      this.start(this.buffer.take(this.settings.maxSize));
    }
  }

  /** Milliseconds until the next batch may go. */
  private waitMs(): number {
    const { maxSize, maxWaitMs, nowMs } = this.settings;
    if (this.buffer.length < maxSize) {
      const ageMs = nowMs() - (this.buffer.oldestMs ?? 0);
      if (ageMs > -CLOCK_STEP_MS && maxWaitMs - ageMs > 1) return maxWaitMs - ageMs;
    }
    return this.bucket?.take() ?? 0;
  }

  private start(batch: TakenEvents): void {
    const sent = deliver(this.delivery, batch.events, this.ended.signal).then(() => {
      this.buffer.release(batch);
      this.inFlight.delete(sent);
      if (!this.closing) this.send();
    });
    this.inFlight.add(sent);
  }

  private sendIn(ms: number): NodeJS.Timeout {
    const timer = setTimeout(() => this.send(), ms);
    // Does not keep the process alive: `close` flushes pending events.
    timer.unref();
    return timer;
  }

  private drop(events: number, why: string): void {
    const { observer, report } = this.delivery;
    observer.failed('buffered', events);
    report(`${events} audit events are dropped: ${why}`);
  }
}
