import type { AuditBackend } from './audit-backend.ts';
import { EventBuffer } from './batch/event-buffer.ts';
import { deliver, type Delivery } from './deliver.ts';
import type { AuditEvent } from './event.ts';
import { aborted } from './with-abort.ts';

export interface BlockingSettings {
  /** Whether a request is refused whose event cannot be written. */
  readonly strict: boolean;
  /** Events in flight at a time; more are dropped, and their requests continue, or are refused. */
  readonly inFlightMax: number;
  /** Bound of `close`, milliseconds. */
  readonly closeMs: number;
}

/** Writes each event at once; its request waits for that. */
export class BlockingBackend implements AuditBackend {
  private readonly delivery: Delivery;
  private readonly settings: BlockingSettings;
  private readonly ended = new AbortController();
  private readonly inFlight = new Set<Promise<boolean>>();
  private closed = false;
  /** Bounds memory, also when requests have long given up waiting. */
  private readonly held: EventBuffer;

  constructor(delivery: Delivery, settings: BlockingSettings) {
    this.delivery = delivery;
    this.settings = settings;
    this.held = new EventBuffer(settings.inFlightMax);
  }

  process(event: AuditEvent): Promise<boolean> {
    const { observer, plugin, report } = this.delivery;
    const isStopped = this.closed || this.ended.signal.aborted;
    if (isStopped || this.inFlight.size >= this.settings.inFlightMax || !this.held.add(event)) {
      observer.failed(plugin, 1);
      report(`1 audit events are dropped: ${isStopped ? 'the server stops' : 'too many others are waiting'}`);
      return Promise.resolve(!this.settings.strict);
    }
    const taken = this.held.take(1);
    const written = deliver(this.delivery, taken.events, this.ended.signal).then((ok) => {
      this.held.release(taken);
      this.inFlight.delete(written);
      return ok || !this.settings.strict;
    });
    this.inFlight.add(written);
    return written;
  }

  async close(): Promise<void> {
    const { sink } = this.delivery;
    sink.hurry();
    const bound = setTimeout(() => this.ended.abort(), this.settings.closeMs);
    const tooLate = aborted(this.ended.signal);
    while (this.inFlight.size > 0) await Promise.all(this.inFlight);
    this.closed = true;
    await Promise.race([sink.close(), tooLate]);
    clearTimeout(bound);
  }
}
