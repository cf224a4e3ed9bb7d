import type { CachedObject, Representation } from './cached-object.ts';
import type { DeliveryTurns } from './delivery-turns.ts';
import type { CachedEvent, WatchEventType } from './event-ring.ts';
import type { Frame, FrameBatch } from './frame-batch.ts';
import type { ExactRequirement } from './watch-index.ts';
import { LANE_SINKS_MAX, WatchLane } from './watch-lane.ts';

/** How events look on the wire of one kind of watch; given by the server. */
export interface WatchFormat {
  readonly representation: Representation;
  /** One framed event, its object in the representation. */
  frame(type: WatchEventType, object: CachedObject): Frame;
  bookmark(revision: number, endOfInitialEvents: boolean): Frame;
}

/** The objects that a watch sees. Watchers with equal `key` share a group. */
export interface WatchSelection {
  /** Store key prefix (of the resource or a namespace), or an object's whole key. */
  readonly scope: string;
  /** Distinguishes selections of one scope: the selectors' text. */
  readonly selectorKey: string;
  /** Absent: every object in scope. */
  readonly matches?: (object: CachedObject) => boolean;
  /** The requirements of `matches` on fields and labels that demand one value. */
  readonly exact?: readonly ExactRequirement[];
}

/** The receiving end of one watcher. */
export interface WatchSink {
  write(batch: FrameBatch): void;
  /** Bytes taken but not yet sent. */
  readonly bufferedBytes: number;
  /** Resolves when the buffer has drained (or the sink is closed). */
  drained(): Promise<void>;
  /** Ends the stream; the client lists again. */
  end(): void;
  readonly closed: boolean;
}

/** What the groups of a resource share. */
export interface GroupOptions {
  readonly turns: DeliveryTurns;
  /** A sink with more unsent bytes is ended. */
  readonly bufferedBytesMax: number;
  /** Called with the size of each event and the number of its watchers, for metrics. */
  readonly onDelivered: (bytes: number, watchers: number) => void;
}

/** Longest time between two deliveries to a socket, milliseconds, unless the server is too busy for even that. */
const INTERVAL_MS_MAX = 60;
/**
 * Time between deliveries under full load, as a multiple of the time that writing to all sockets of the group takes:
 * the rest of the time is for other work.
 */
const INTERVAL_PER_WRITING = 2;

/**
 * Watchers of the same events in the same form: each event is matched and encoded once for all. The watchers stand in
 * lanes, which are written to in turn; a sink whose buffer exceeds the limit is ended and never delays others.
 */
export class WatchGroup {
  readonly selection: WatchSelection;
  readonly format: WatchFormat;
  private readonly options: GroupOptions;
  private lanes: WatchLane[] = [];
  private readonly laneOf = new Map<WatchSink, WatchLane>();

  constructor(selection: WatchSelection, format: WatchFormat, options: GroupOptions) {
    this.selection = selection;
    this.format = format;
    this.options = options;
  }

  get size(): number {
    return this.laneOf.size;
  }

  /** Every event so far has been written to its sockets. */
  get settled(): boolean {
    return this.lanes.every((lane) => lane.settled);
  }

  /** The sink gets every event dispatched from now on. */
  join(sink: WatchSink): void {
    const lane = this.lanes.find((each) => each.size < LANE_SINKS_MAX) ?? this.addLane();
    this.laneOf.set(sink, lane);
    lane.join(sink);
  }

  private addLane(): WatchLane {
    const { turns, bufferedBytesMax } = this.options;
    const lane = new WatchLane({ turns, bufferedBytesMax, intervalMs: () => this.intervalMs() });
    this.lanes.push(lane);
    return lane;
  }

  leave(sink: WatchSink): void {
    const lane = this.laneOf.get(sink);
    if (lane === undefined) return;
    this.laneOf.delete(sink);
    lane.leave(sink);
    if (lane.size === 0) this.lanes = this.lanes.filter((each) => each !== lane);
  }

  /** Matches, encodes and queues one event. */
  dispatch(event: CachedEvent): void {
    const type = eventTypeFor(event, this.selection.matches);
    if (type === undefined) return;
    const frame = frameOf(event, type, this.format);
    this.options.onDelivered(frame.length, this.size);
    for (const lane of this.lanes) lane.push(frame);
  }

  endAll(): void {
    for (const lane of this.lanes) lane.endAll();
    this.lanes = [];
    this.laneOf.clear();
  }

  /**
   * How often a lane is written to: at each event while the event loop is idle; under load, the more expensive the
   * whole group, the more events share a write.
   */
  private intervalMs(): number {
    const { gathering } = this.options.turns;
    if (gathering === 0) return 0;
    const writingMs = this.lanes.reduce((sum, lane) => sum + lane.tookMs, 0);
    return gathering * Math.min(INTERVAL_MS_MAX, INTERVAL_PER_WRITING * writingMs);
  }
}

/** The type of an event for a selection: leaving it counts as a deletion, entering it as an addition. */
export function eventTypeFor(
  event: CachedEvent,
  matches: ((object: CachedObject) => boolean) | undefined,
): WatchEventType | undefined {
  const before = event.previous !== undefined && (matches === undefined || matches(event.previous));
  if (event.deleted) return before ? 'DELETED' : undefined;
  const after = matches === undefined || matches(event.object);
  if (after) return before ? 'MODIFIED' : 'ADDED';
  return before ? 'DELETED' : undefined;
}

/** The event's frame for a format, made once while the event is fanned out. */
export function frameOf(event: CachedEvent, type: WatchEventType, format: WatchFormat): Frame {
  const make = (): Frame => format.frame(type, type === 'DELETED' && !event.deleted ? event.departed() : event.object);
  return format.representation.cacheable ? event.frame(format.representation, type, make) : make();
}
