import { BoundedCache } from '../../apimachinery/collections/bounded-cache.ts';
import type { Event } from '../../generated/types/core-v1.ts';
import type { Delivery } from './event-delivery.ts';

const CACHE_MAX = 4096;

interface Written {
  readonly name: string;
  readonly count: number;
  readonly firstTimestamp: string | null;
}

/** Counts equal events: the first is created, each further one raises the count of that. */
export class EventCounts {
  private readonly written = new BoundedCache<Written>(CACHE_MAX);

  /** How to write the event; `key` is the same for events that count as one. */
  count(event: Event, key: string): Delivery<Event> {
    const before = this.written.get(key);
    const counted: Event =
      before === undefined
        ? event
        : {
            ...event,
            metadata: { ...event.metadata, name: before.name },
            count: before.count + 1,
            firstTimestamp: before.firstTimestamp,
          };
    const { metadata, count = 1, firstTimestamp, lastTimestamp, message } = counted;
    this.written.set(key, { name: metadata.name!, count, firstTimestamp });
    return before === undefined ? { event } : { event: counted, patch: { count, lastTimestamp, message } };
  }
}
