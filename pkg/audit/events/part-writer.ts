/** What is written or sent at once. */
export interface BatchPart {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly events: number;
}

/** The text around and between the events of a part. */
export interface PartFrame {
  readonly opening: string;
  /** One ASCII character. */
  readonly separator: string;
  readonly closing: string;
}

const SLAB_BYTES = 256 * 1024;
/** A larger slab is not kept for the next batch. */
const SLAB_KEPT_BYTES_MAX = 1024 * 1024;
// Process-wide: memory, whose content is void between two batches.
let keptSlab: Buffer | undefined;

/**
 * Concatenates texts of events, in parts of a bounded size. Each text becomes bytes at once, in a slab that serves
 * batch after batch: to hold the texts of a part and to join them takes four times as long.
 */
export class PartWriter {
  private readonly frame: PartFrame;
  private readonly separator: number;
  private readonly bytesMax: number;
  private readonly parts: BatchPart[] = [];
  private slab: Buffer;
  /** Where the part's events begin, and where the next one goes. */
  private start = 0;
  private end = 0;
  private events = 0;

  /** `bytesMax`: an event that would pass it begins a new part; events are never divided. */
  constructor(frame: PartFrame, bytesMax: number) {
    this.frame = frame;
    this.separator = frame.separator.charCodeAt(0);
    this.bytesMax = bytesMax;
    this.slab = keptSlab ?? Buffer.allocUnsafeSlow(SLAB_BYTES);
    // A writer that runs meanwhile takes another slab.
    keptSlab = undefined;
    this.begin();
  }

  /** False where the text takes more than `textBytesMax`: it is left out. */
  add(text: string, textBytesMax: number): boolean {
    this.makeRoomFor(text);
    const size = this.slab.write(text, this.end);
    if (size > textBytesMax) return false;
    if (this.events > 0 && this.end - this.start + size + 1 > this.bytesMax) {
      const at = this.end;
      this.finishPart();
      this.slab.copyWithin(this.end, at, at + size);
    }
    this.slab[this.end + size] = this.separator;
    this.end += size + 1;
    this.events++;
    return true;
  }

  /** All parts; nothing can be added any more. */
  finish(): readonly BatchPart[] {
    if (this.events > 0) this.finishPart();
    if (this.slab.length <= SLAB_KEPT_BYTES_MAX) keptSlab = this.slab;
    return this.parts;
  }

  private begin(): void {
    this.start = this.slab.write(this.frame.opening, 0);
    this.end = this.start;
    this.events = 0;
  }

  /** In separate memory: the slab is used again, and parts move between threads. */
  private finishPart(): void {
    const last = this.end - 1;
    const closing = Buffer.from(this.frame.closing);
    const bytes = Buffer.allocUnsafeSlow(last + closing.length);
    this.slab.copy(bytes, 0, 0, last);
    bytes.set(closing, last);
    this.parts.push({ bytes, events: this.events });
    this.begin();
  }

  private makeRoomFor(text: string): void {
    // No character takes more than three bytes, and nearly every one takes one: they are counted only where it matters.
    if (this.end + text.length * 3 < this.slab.length) return;
    const needed = this.end + Buffer.byteLength(text) + 1;
    if (needed <= this.slab.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, this.slab.length * 2));
    this.slab.copy(larger, 0, 0, this.end);
    this.slab = larger;
  }
}
