import type { AuditBackend } from './audit-backend.ts';
import { EventBuffer } from './batch/event-buffer.ts';
import { deliver, type Delivery } from './deliver.ts';
import type { AuditEvent } from './event.ts';
import { aborted } from './unless-aborted.ts';

export interface BlockingSettings {
  /** Whether a request is refused whose event cannot be written. */
  readonly strict: boolean;
  /** Events on their way at a time; more are dropped, and their requests go on, or are refused. */
  readonly underWayMax: number;
  /** Bound of `close`, milliseconds. */
  readonly closeMs: number;
}

/** Writes each event at once; its request waits for that. */
export class BlockingBackend implements AuditBackend {
  private readonly delivery: Delivery;
  private readonly settings: BlockingSettings;
  private readonly ended = new AbortController();
  private readonly underWay = new Set<Promise<boolean>>();
  private closed = false;
  /** Bounds memory, also when requests have long given up waiting. */
  private readonly held: EventBuffer;

  constructor(delivery: Delivery, settings: BlockingSettings) {
    this.delivery = delivery;
    this.settings = settings;
    this.held = new EventBuffer(settings.underWayMax);
  }

  process(event: AuditEvent): Promise<boolean> {
    const { observer, plugin, report } = this.delivery;
    const isStopped = this.closed || this.ended.signal.aborted;
    if (isStopped || this.underWay.size >= this.settings.underWayMax || !this.held.add(event)) {
      observer.failed(plugin, 1);
      report(`1 audit events are dropped: ${isStopped ? 'the server stops' : 'too many others are waiting'}`);
      return Promise.resolve(!this.settings.strict);
    }
    const taken = this.held.take(1);
    const written = deliver(this.delivery, taken.events, this.ended.signal).then((ok) => {
      this.held.release(taken);
      this.underWay.delete(written);
      return ok || !this.settings.strict;
    });
    this.underWay.add(written);
    return written;
  }

  async close(): Promise<void> {
    const { sink } = this.delivery;
    sink.hurry();
    const bound = setTimeout(() => this.ended.abort(), this.settings.closeMs);
    const tooLate = aborted(this.ended.signal);
    while (this.underWay.size > 0) await Promise.all(this.underWay);
    this.closed = true;
    await Promise.race([sink.close(), tooLate]);
    clearTimeout(bound);
  }
}
