import type { CachedObject, Representation } from './cached-object.ts';
import type { CachedEvent, WatchEventType } from './event-ring.ts';

/** How events look on the wire of one kind of watch; given by the server. */
export interface WatchFormat {
  readonly representation: Representation;
  /** One framed event, its object in the representation. */
  frame(type: WatchEventType, object: CachedObject): Uint8Array;
  bookmark(revision: number, endOfInitialEvents: boolean): Uint8Array;
}

/** Which objects a watch sees. Watchers with equal `key` share a group. */
export interface WatchSelection {
  /** Store key prefix (of the resource or a namespace), or an object's whole key. */
  readonly scope: string;
  /** Tells selections of one scope apart; the selectors' text. */
  readonly selectorKey: string;
  /** Absent: every object in scope. */
  readonly matches?: (object: CachedObject) => boolean;
}

/** Bytes for several sockets at once. */
export class FrameBatch {
  readonly bytes: Uint8Array;
  private chunk: Uint8Array | undefined;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
    this.chunk = undefined;
  }

  /** The bytes as one chunk of HTTP/1.1 chunked transfer coding. */
  http1Chunk(): Uint8Array {
    this.chunk ??= Buffer.concat([Buffer.from(`${this.bytes.length.toString(16)}\r\n`, 'latin1'), this.bytes, Buffer.from('\r\n', 'latin1')]);
    return this.chunk;
  }
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

/** Sockets written to in one turn of the event loop. */
const SINKS_PER_TURN = 256;
/** Longest time for which a large group gathers events, milliseconds. */
const GATHER_MS_MAX = 50;

interface SealedBatch {
  batch: FrameBatch;
  sinks: readonly WatchSink[];
}

/**
 * Watchers that want the same events in the same form: each event is matched and encoded once for all, and all events of one turn reach a
 * socket in one write. A sink whose buffer exceeds the limit is ended; it never holds others back.
 */
export class WatchGroup {
  readonly selection: WatchSelection;
  readonly format: WatchFormat;
  private readonly bufferedBytesMax: number;
  /** Replaced, never changed: sealed batches hold the array of their time. */
  private sinks: readonly WatchSink[] = [];
  private pending: Uint8Array[] = [];
  private readonly sealed: SealedBatch[] = [];
  private flushScheduled = false;
  /** When the sweep under way over all sinks began, and until when to gather before the next. */
  private sweepStartedMs: number | undefined;
  private gatherUntilMs = 0;
  /** Told the size of each event and for how many it is, for metrics. */
  private readonly onDelivered: (bytes: number, watchers: number) => void;

  constructor(selection: WatchSelection, format: WatchFormat, bufferedBytesMax: number, onDelivered: (bytes: number, watchers: number) => void) {
    this.selection = selection;
    this.format = format;
    this.bufferedBytesMax = bufferedBytesMax;
    this.onDelivered = onDelivered;
  }

  get size(): number {
    return this.sinks.length;
  }

  /** Every event so far has been written to its sockets. */
  get settled(): boolean {
    return this.pending.length === 0 && this.sealed.length === 0;
  }

  /** The sink gets every event dispatched from now on. */
  join(sink: WatchSink): void {
    this.seal();
    this.sinks = [...this.sinks, sink];
  }

  leave(sink: WatchSink): void {
    if (this.sinks.includes(sink)) this.sinks = this.sinks.filter((s) => s !== sink);
  }

  /** Matches, encodes and queues one event. */
  dispatch(event: CachedEvent): void {
    const type = eventTypeFor(event, this.selection.matches);
    if (type === undefined) return;
    const frame = frameOf(event, type, this.format);
    this.pending.push(frame);
    this.onDelivered(frame.length, this.sinks.length);
    this.schedule();
  }

  /** Sends the same bytes to all, in order with events. */
  broadcast(bytes: Uint8Array): void {
    this.pending.push(bytes);
    this.schedule();
  }

  endAll(): void {
    const sinks = this.sinks;
    this.sinks = [];
    for (const sink of sinks) sink.end();
  }

  /**
   * A group that takes several turns to write to gathers events for as long as its last sweep took: it then spends at most half of the time on
   * writing, and a socket gets a batch instead of an event at a time. Small groups write at the end of the turn.
   */
  private schedule(): void {
    if (this.flushScheduled) return;
    this.flushScheduled = true;
    const waitMs = this.sweepStartedMs === undefined ? this.gatherUntilMs - performance.now() : 0;
    if (waitMs > 1) setTimeout(() => this.flush(), waitMs);
    else setImmediate(() => this.flush());
  }

  private seal(): void {
    if (this.pending.length === 0) return;
    const bytes = this.pending.length === 1 ? this.pending[0]! : Buffer.concat(this.pending);
    this.pending = [];
    if (this.sinks.length > 0) this.sealed.push({ batch: new FrameBatch(bytes), sinks: this.sinks });
  }

  private flush(): void {
    if (this.sweepStartedMs === undefined) {
      this.seal();
      this.sweepStartedMs = performance.now();
    }
    let budget = SINKS_PER_TURN;
    while (budget > 0) {
      const first = this.sealed[0];
      if (first === undefined) break;
      const now = first.sinks.slice(0, budget);
      for (const sink of now) this.deliver(sink, first.batch);
      budget -= now.length;
      if (now.length === first.sinks.length) this.sealed.shift();
      else first.sinks = first.sinks.slice(now.length);
    }
    this.flushScheduled = false;
    if (this.sealed.length === 0) this.endSweep();
    if (this.sealed.length > 0 || this.pending.length > 0) this.schedule();
  }

  private endSweep(): void {
    const now = performance.now();
    const tookMs = now - (this.sweepStartedMs ?? now);
    this.gatherUntilMs = this.sinks.length > SINKS_PER_TURN ? now + Math.min(tookMs, GATHER_MS_MAX) : 0;
    this.sweepStartedMs = undefined;
  }

  private deliver(sink: WatchSink, batch: FrameBatch): void {
    if (sink.closed) {
      this.leave(sink);
      return;
    }
    if (sink.bufferedBytes > this.bufferedBytesMax) {
      this.leave(sink);
      sink.end();
      return;
    }
    sink.write(batch);
  }
}

/** What an event is to a selection: leaving it counts as a deletion, entering it as an addition. */
export function eventTypeFor(event: CachedEvent, matches: ((object: CachedObject) => boolean) | undefined): WatchEventType | undefined {
  const before = event.previous !== undefined && (matches === undefined || matches(event.previous));
  if (event.deleted) return before ? 'DELETED' : undefined;
  const after = matches === undefined || matches(event.object);
  if (after) return before ? 'MODIFIED' : 'ADDED';
  return before ? 'DELETED' : undefined;
}

/** The event's frame for a format, made once while the event is fanned out. */
export function frameOf(event: CachedEvent, type: WatchEventType, format: WatchFormat): Uint8Array {
  const make = (): Uint8Array => format.frame(type, type === 'DELETED' && !event.deleted ? event.departed() : event.object);
  return format.representation.cacheable ? event.frame(format.representation, type, make) : make();
}
