import { objectsSize, type AuditEvent } from '../event.ts';
import type { EventFormat } from './event-format.ts';
import { serializeBatch, type EventBatch, type SerializedBatch, type TruncationLimits } from './serialize-batch.ts';

/** Runs `serializeBatch` on a thread. */
export type SerializeElsewhere = (batch: EventBatch) => Promise<SerializedBatch>;

export interface EventSerializerSettings {
  readonly format: EventFormat;
  readonly truncate?: TruncationLimits;
  readonly partBytesMax: number;
  readonly elsewhere: SerializeElsewhere;
  /** Called with failures of the thread, for the log. */
  readonly report: (message: string) => void;
}

/**
 * Smallest batch that goes to a thread; a smaller one takes less time than the transfer. To copy an event without
 * objects for a thread takes as long as to make its text, 2 to 3 us: such events go there only when their texts would
 * delay requests by more than a few milliseconds.
 */
const THREAD_EVENTS_MIN = 1000;
const THREAD_BYTES_MIN = 64 * 1024;

/** Serializes events for one sink. */
export class EventSerializer {
  private readonly settings: EventSerializerSettings;

  constructor(settings: EventSerializerSettings) {
    this.settings = settings;
  }

  serialize(events: readonly AuditEvent[]): Promise<SerializedBatch> {
    const { elsewhere, format, truncate, partBytesMax, report } = this.settings;
    const batch: EventBatch = { events, format, partBytesMax, ...(truncate === undefined ? {} : { truncate }) };
    if (!isLarge(events)) return Promise.resolve(serializeBatch(batch));
    // A failed thread loses no events.
    return elsewhere(batch).catch((error: Error) => {
      report(
        `a thread failed to make text of ${events.length} events, which the main thread makes instead: ${error.message}`,
      );
      return serializeBatch(batch);
    });
  }
}

function isLarge(events: readonly AuditEvent[]): boolean {
  return (
    events.length >= THREAD_EVENTS_MIN || events.reduce((sum, event) => sum + objectsSize(event), 0) >= THREAD_BYTES_MIN
  );
}
