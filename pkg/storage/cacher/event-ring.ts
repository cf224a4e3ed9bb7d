import type { ApiObject } from '../../apimachinery/meta/object.ts';
import { steadyMs } from '../../apimachinery/steady-clock.ts';
import type { CachedObject, Representation } from './cached-object.ts';
import type { Frame } from './frame-batch.ts';

export type WatchEventType = 'ADDED' | 'MODIFIED' | 'DELETED';

/** One change to one object of a resource. */
export class CachedEvent<T extends ApiObject = ApiObject> {
  readonly revision: number;
  /** The object after the change; for a deletion its last state, at the deletion's revision. */
  readonly object: CachedObject<T>;
  /** The object before the change; undefined for a creation. */
  readonly previous: CachedObject<T> | undefined;
  readonly deleted: boolean;
  /** When the ring got it, milliseconds since the epoch. */
  recordedAtMs = 0;
  private frames: Map<string, Frame> | undefined;
  private departedObject: CachedObject<T> | undefined;

  constructor(revision: number, object: CachedObject<T>, previous: CachedObject<T> | undefined, deleted: boolean) {
    this.revision = revision;
    this.object = object;
    this.previous = previous;
    this.deleted = deleted;
    this.frames = undefined;
    this.departedObject = undefined;
  }

  /** For watchers whose selector the object has left: its state before the change, at the change's revision. */
  departed(): CachedObject<T> {
    this.departedObject ??= this.previous!.atRevision(this.revision);
    return this.departedObject;
  }

  /** The result of `make`, made once per representation and type, while watchers of several groups need it. */
  frame(representation: Representation, type: WatchEventType, make: () => Frame): Frame {
    const key = `${type};${representation.key}`;
    let frame = this.frames?.get(key);
    if (frame === undefined) {
      frame = make();
      (this.frames ??= new Map()).set(key, frame);
    }
    return frame;
  }

  /** After the turn's fan-out; late watchers make their frames from the object. */
  dropFrames(): void {
    this.frames = undefined;
  }
}

export interface EventRingOptions {
  /** Changes that are kept at any age; 0: none are ever kept. */
  readonly size: number;
  /** Milliseconds; only tests inject another clock. */
  readonly nowMs?: () => number;
  readonly bytesMax?: number;
}

/** Watchers that were disconnected for this long find what they missed, unless it is too much. */
const FRESH_MS = 75_000;
/** Bytes of the objects that a ring keeps. */
const BYTES_MAX = 128 * 1024 * 1024;
/** How many times its size a ring may grow to while changes come faster than they age. */
const GROWTH_MAX = 10;

/**
 * The newest changes of one resource, oldest first; bounded in number and in bytes. A full ring doubles while its
 * oldest change is still fresh, and halves when a quarter of it is enough.
 */
export class EventRing {
  private readonly size: number;
  private readonly nowMs: () => number;
  private readonly bytesMax: number;
  private bytes = 0;
  private slots: CachedEvent[] = [];
  private start = 0;
  private floorRevision: number;
  private capacityNow: number;

  constructor(options: EventRingOptions, floorRevision: number) {
    this.size = options.size;
    this.nowMs = options.nowMs ?? steadyMs;
    this.bytesMax = options.bytesMax ?? BYTES_MAX;
    this.capacityNow = options.size;
    this.floorRevision = floorRevision;
  }

  /** All changes after this revision are in the ring. */
  get floor(): number {
    return this.floorRevision;
  }

  /** Number of changes that the ring holds before it drops the oldest. */
  get capacity(): number {
    return this.capacityNow;
  }

  push(event: CachedEvent): void {
    if (this.size === 0) {
      this.floorRevision = event.revision;
      return;
    }
    event.recordedAtMs = this.nowMs();
    if (this.slots.length === this.capacityNow) this.resize(event.recordedAtMs - FRESH_MS);
    this.bytes += bytesOf(event);
    if (this.slots.length < this.capacityNow) this.slots.push(event);
    else {
      const oldest = this.slots[this.start]!;
      this.floorRevision = oldest.revision;
      this.bytes -= bytesOf(oldest);
      this.slots[this.start] = event;
      this.start = (this.start + 1) % this.capacityNow;
    }
    if (this.bytes > this.bytesMax) this.keepBytes(this.bytesMax / 2);
  }

  /**
   * Bounds the ring to this many bytes, but always keeps the last change. Run rarely, since each run reads the whole
   * ring.
   */
  private keepBytes(bytesMax: number): void {
    let count = 1;
    for (let bytes = bytesOf(this.at(this.slots.length - 1)); count < this.slots.length; count++) {
      bytes += bytesOf(this.at(this.slots.length - 1 - count));
      if (bytes > bytesMax) break;
    }
    this.keepNewest(count, this.capacityNow);
  }

  /**
   * Resizes a full ring: grows it when everything in it came after `sinceMs`, shrinks it when its newest quarter alone
   * reaches back that far.
   */
  private resize(sinceMs: number): void {
    const count = this.slots.length;
    if (this.at(0).recordedAtMs > sinceMs) {
      const capacity = Math.min(this.capacityNow * 2, this.size * GROWTH_MAX);
      // A ring that may not grow is not copied: under load that would happen at each change.
      if (capacity > this.capacityNow) this.keepNewest(count, capacity);
    } else if (this.capacityNow > this.size && this.at(count - Math.ceil(count / 4)).recordedAtMs <= sinceMs) {
      const capacity = Math.max(Math.floor(this.capacityNow / 2), this.size);
      this.keepNewest(capacity, capacity);
    }
  }

  private keepNewest(count: number, capacity: number): void {
    const ordered = [...this.slots.slice(this.start), ...this.slots.slice(0, this.start)];
    if (ordered.length > count) this.floorRevision = ordered[ordered.length - count - 1]!.revision;
    this.slots = ordered.slice(-count);
    this.bytes = this.slots.reduce((sum, event) => sum + bytesOf(event), 0);
    this.start = 0;
    this.capacityNow = capacity;
  }

  /** At most `max` changes after `revision`, oldest first; undefined when some have left the ring. */
  after(revision: number, max: number): CachedEvent[] | undefined {
    if (revision < this.floorRevision) return undefined;
    const size = this.slots.length;
    let low = 0;
    let high = size;
    while (low < high) {
      const mid = (low + high) >>> 1;
      if (this.at(mid).revision <= revision) low = mid + 1;
      else high = mid;
    }
    const out: CachedEvent[] = [];
    for (let i = low; i < size && out.length < max; i++) out.push(this.at(i));
    // Events of one revision belong together: never end in the middle of one.
    while (out.length > 0 && low + out.length < size && this.at(low + out.length).revision === out.at(-1)!.revision)
      out.push(this.at(low + out.length));
    return out;
  }

  private at(index: number): CachedEvent {
    return this.slots[(this.start + index) % this.slots.length]!;
  }
}

/** The state before a change is the state after an earlier change, or was the cache's. */
function bytesOf({ object, previous }: CachedEvent): number {
  return object.value.length + (previous?.value.length ?? 0);
}
