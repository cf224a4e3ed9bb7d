import { eventSize, objectsSize, withoutObjects, type AuditEvent } from '../event.ts';

/** Memory that all events pending for one sink may take, about, bytes. */
const BUFFER_BYTES_MAX = 64 * 1024 * 1024;
/** Beyond this, events lose request and response, so that more of them are kept. */
const OBJECTS_BYTES_MAX = BUFFER_BYTES_MAX / 2;

/** Events that are sent together. */
export interface TakenEvents {
  readonly events: readonly AuditEvent[];
  /** Memory that they take, about. */
  readonly bytes: number;
}

/** Pending events, bounded in number and memory; a batch that was taken counts until it is released. */
export class EventBuffer {
  private readonly eventsMax: number;
  private events: AuditEvent[] = [];
  private waitingBytes = 0;
  private takenBytes = 0;

  constructor(eventsMax: number) {
    this.eventsMax = eventsMax;
  }

  get length(): number {
    return this.events.length;
  }

  /** When the oldest of them came, by the time of its stage. */
  get oldestMs(): number | undefined {
    return this.events[0]?.stageMs;
  }

  /** False where there is no room. */
  add(event: AuditEvent): boolean {
    if (this.events.length >= this.eventsMax) return false;
    const kept =
      this.bytes + objectsSize(event) > OBJECTS_BYTES_MAX && objectsSize(event) > 0 ? withoutObjects(event) : event;
    const size = eventSize(kept);
    if (this.bytes + size > BUFFER_BYTES_MAX) return false;
    this.events.push(kept);
    this.waitingBytes += size;
    return true;
  }

  /** The oldest events, at most `max`. */
  take(count: number): TakenEvents {
    const isAll = count >= this.events.length;
    const events = isAll ? this.events : this.events.splice(0, count);
    if (isAll) this.events = [];
    const bytes = isAll ? this.waitingBytes : events.reduce((sum, event) => sum + eventSize(event), 0);
    this.waitingBytes -= bytes;
    this.takenBytes += bytes;
    return { events, bytes };
  }

  /** The batch is written, or lost. */
  release({ bytes }: TakenEvents): void {
    this.takenBytes -= bytes;
  }

  private get bytes(): number {
    return this.waitingBytes + this.takenBytes;
  }
}
