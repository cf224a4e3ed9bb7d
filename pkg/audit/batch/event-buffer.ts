import { eventSize, objectsSize, withoutObjects, type AuditEvent } from '../event.ts';

/** Memory that all events waiting for one sink may take, about, bytes. */
export const BUFFER_BYTES_MAX = 64 * 1024 * 1024;
/** From here on events lose request and response, so that more of them are kept. */
const OBJECTS_BYTES_MAX = BUFFER_BYTES_MAX / 2;

/** Events that wait, bounded in number and memory; what was taken out counts until it is released. */
export class EventBuffer {
  private readonly eventsMax: number;
  private events: AuditEvent[] = [];
  private bytes = 0;

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
    const kept = this.bytes + objectsSize(event) > OBJECTS_BYTES_MAX && objectsSize(event) > 0 ? withoutObjects(event) : event;
    const size = eventSize(kept);
    if (this.bytes + size > BUFFER_BYTES_MAX) return false;
    this.events.push(kept);
    this.bytes += size;
    return true;
  }

  take(count: number): AuditEvent[] {
    return this.events.splice(0, count);
  }

  /** What was taken is written, or lost. */
  release(taken: readonly AuditEvent[]): void {
    for (const event of taken) this.bytes -= eventSize(event);
  }

  /** Drops everything; gives how many. */
  clear(): number {
    return this.take(this.events.length).length;
  }
}
