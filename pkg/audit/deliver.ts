import type { AuditSink } from './audit-backend.ts';
import type { AuditObserver, AuditPlugin } from './audit-observer.ts';
import type { AuditEvent } from './event.ts';
import type { EventSerializer } from './events/event-serializer.ts';
import { withAbort } from './with-abort.ts';

/** The delivery from a backend to its sink. */
export interface Delivery {
  readonly plugin: AuditPlugin;
  readonly sink: AuditSink;
  readonly serializer: EventSerializer;
  readonly observer: AuditObserver;
  /** Called with events that could not be written, for the log. */
  readonly report: (message: string) => void;
}

/**
 * Serializes and writes; counts and reports failures, also writes without a known result when the signal is aborted.
 * True when all succeeded. Never rejects.
 */
export async function deliver(
  { plugin, sink, serializer, observer, report }: Delivery,
  events: readonly AuditEvent[],
  signal: AbortSignal,
): Promise<boolean> {
  let left = events.length;
  try {
    const { parts, dropped } = await serializer.serialize(events);
    if (dropped > 0) {
      observer.failed('truncate', dropped);
      report(`${dropped} audit events are too large even without request and response`);
    }
    left -= dropped;
    for (const part of parts) {
      await withAbort(sink.write(part.bytes, signal), signal);
      left -= part.events;
    }
    return dropped === 0;
  } catch (error) {
    observer.failed(plugin, left);
    report(`${left} audit events are lost: ${error instanceof Error ? error.message : String(error)}`);
    return false;
  }
}
