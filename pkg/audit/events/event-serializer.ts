import { objectsSize, type AuditEvent } from '../event.ts';
import type { EventFormat } from './event-format.ts';
import { serializeBatch, type EventBatch, type SerializedBatch, type TruncationLimits } from './serialize-batch.ts';

/** Runs `serializeBatch` elsewhere. */
export type SerializeElsewhere = (batch: EventBatch) => Promise<SerializedBatch>;

export interface EventSerializerSettings {
  readonly format: EventFormat;
  readonly truncate?: TruncationLimits;
  readonly partBytesMax: number;
  readonly elsewhere: SerializeElsewhere;
  /** Told of a place elsewhere that failed, for the log. */
  readonly report: (message: string) => void;
}

/**
 * From here on a batch goes to a thread; what is smaller takes less time than the way there. To copy an event without
 * objects for a thread takes as long as to make its text, 2 to 3 us: so many go only when their texts would hold up
 * requests for longer than a few milliseconds.
 */
const THREAD_EVENTS_MIN = 1000;
const THREAD_BYTES_MIN = 64 * 1024;

/** Makes events into the bytes of one sink. */
export class EventSerializer {
  private readonly settings: EventSerializerSettings;

  constructor(settings: EventSerializerSettings) {
    this.settings = settings;
  }

  serialize(events: readonly AuditEvent[]): Promise<SerializedBatch> {
    const { elsewhere, format, truncate, partBytesMax, report } = this.settings;
    const batch: EventBatch = { events, format, partBytesMax, ...(truncate === undefined ? {} : { truncate }) };
    if (!isLarge(events)) return Promise.resolve(serializeBatch(batch));
    // A thread that fails takes no events with it.
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
