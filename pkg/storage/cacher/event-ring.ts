import type { CachedObject, Representation } from './cached-object.ts';

export type WatchEventType = 'ADDED' | 'MODIFIED' | 'DELETED';

/** One change to one object of a resource. */
export class CachedEvent {
  readonly revision: number;
  /** The object after the change; for a deletion its last state, at the deletion's revision. */
  readonly object: CachedObject;
  /** The object before the change; undefined for a creation. */
  readonly previous: CachedObject | undefined;
  readonly deleted: boolean;
  private frames: Map<string, Uint8Array> | undefined;
  private departedObject: CachedObject | undefined;

  constructor(revision: number, object: CachedObject, previous: CachedObject | undefined, deleted: boolean) {
    this.revision = revision;
    this.object = object;
    this.previous = previous;
    this.deleted = deleted;
    this.frames = undefined;
    this.departedObject = undefined;
  }

  /** For watchers whose selector the object has left: its state before the change, at the change's revision. */
  departed(): CachedObject {
    this.departedObject ??= this.previous!.atRevision(this.revision);
    return this.departedObject;
  }

  /** Bytes made by `make` once per representation and type, while watchers of several groups want them. */
  frame(representation: Representation, type: WatchEventType, make: () => Uint8Array): Uint8Array {
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

/** The newest changes of one resource, oldest first; bounded in number. */
export class EventRing {
  private readonly capacity: number;
  private readonly slots: CachedEvent[] = [];
  private start = 0;
  private floorRevision: number;

  constructor(capacity: number, floorRevision: number) {
    this.capacity = Math.max(1, capacity);
    this.floorRevision = floorRevision;
  }

  /** All changes after this revision are in the ring. */
  get floor(): number {
    return this.floorRevision;
  }

  push(event: CachedEvent): void {
    if (this.slots.length < this.capacity) {
      this.slots.push(event);
      return;
    }
    this.floorRevision = this.slots[this.start]!.revision;
    this.slots[this.start] = event;
    this.start = (this.start + 1) % this.capacity;
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
    while (out.length > 0 && low + out.length < size && this.at(low + out.length).revision === out.at(-1)!.revision) out.push(this.at(low + out.length));
    return out;
  }

  private at(index: number): CachedEvent {
    return this.slots[(this.start + index) % this.slots.length]!;
  }
}
