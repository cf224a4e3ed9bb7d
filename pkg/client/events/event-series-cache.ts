import type { Clock } from '../../apimachinery/clock.ts';
import { formatMicroTime } from '../../apimachinery/values/time.ts';
import type { Event } from '../../generated/types/events-v1.ts';
import type { Delivery } from './event-delivery.ts';

/** A series that was not seen for so long has ended. */
const FINISH_MS = 360_000;
/** A series that goes on is written again this often, so that its event does not expire. */
const REFRESH_MS = 1_800_000;
const CACHE_MAX = 4096;

interface Seen {
  event: Event;
  lastMs: number;
  /** When the event was written last, as far as the cache knows. */
  writtenMs: number;
  /** Count of the series as written last; 0 without a series. */
  writtenCount: number;
}

/**
 * The events of the last minutes. An event like one of them makes a series of that: the second is written at once,
 * further ones are counted, and the count is written when the series goes on for long and when it ends.
 */
export class EventSeriesCache {
  private readonly clock: Clock;
  private readonly send: (delivery: Delivery<Event>) => void;
  private readonly seen = new Map<string, Seen>();
  private cancelTimer: (() => void) | undefined;

  constructor(clock: Clock, send: (delivery: Delivery<Event>) => void) {
    this.clock = clock;
    this.send = send;
  }

  add(event: Event): void {
    const key = keyOf(event);
    const nowMs = this.clock.steadyMs();
    const present = this.seen.get(key);
    if (present === undefined) {
      this.seen.set(key, { event, lastMs: nowMs, writtenMs: nowMs, writtenCount: 0 });
      this.send({ event });
      this.bound();
    } else {
      present.lastMs = nowMs;
      const count = (present.event.series?.count ?? 1) + 1;
      const series = { count, lastObservedTime: formatMicroTime(new Date(this.clock.wallMs())) };
      present.event = { ...present.event, series };
      if (count === 2) this.write(present);
    }
    this.cancelTimer ??= this.clock.after(FINISH_MS, () => this.sweep());
  }

  stop(): void {
    this.cancelTimer?.();
    this.seen.clear();
  }

  private sweep(): void {
    this.cancelTimer = undefined;
    const nowMs = this.clock.steadyMs();
    for (const [key, seen] of this.seen) {
      if (nowMs - seen.lastMs >= FINISH_MS) {
        this.seen.delete(key);
        this.finish(seen);
      } else if (nowMs - seen.writtenMs >= REFRESH_MS) {
        this.finish(seen);
      }
    }
    if (this.seen.size > 0) this.cancelTimer = this.clock.after(FINISH_MS, () => this.sweep());
  }

  /** Drops the oldest event where there are too many. */
  private bound(): void {
    if (this.seen.size <= CACHE_MAX) return;
    const [key, oldest] = this.seen.entries().next().value!;
    this.seen.delete(key);
    this.finish(oldest);
  }

  private finish(seen: Seen): void {
    if (seen.event.series !== undefined && seen.event.series.count > seen.writtenCount) this.write(seen);
  }

  private write(seen: Seen): void {
    const { series } = seen.event;
    seen.writtenMs = this.clock.steadyMs();
    seen.writtenCount = series!.count;
    this.send({ event: seen.event, patch: { series } });
  }
}

/** All but the note and the times. */
function keyOf({ type, action, reason, reportingController, reportingInstance, regarding, related }: Event): string {
  return JSON.stringify([type, action, reason, reportingController, reportingInstance, regarding, related]);
}
