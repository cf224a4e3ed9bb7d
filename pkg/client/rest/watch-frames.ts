import { ConnectionError } from './client.ts';

/**
 * Splits a byte stream into frames; what is not complete yet is kept, up to a bound. Throws `ConnectionError` beyond
 * it.
 */
export interface FrameSplitter {
  push(chunk: Buffer): Buffer[];
  /** True when the stream has ended within a frame. */
  readonly isWithinFrame: boolean;
}

const NEWLINE = 0x0a;
const LENGTH_BYTES = 4;

/**
 * Bytes of an unfinished frame. Chunks are joined once a frame is complete, so that a large one costs no copy per
 * chunk.
 */
class PartialFrame {
  readonly bytesMax: number;
  bytes = 0;
  private chunks: Buffer[] = [];

  constructor(bytesMax: number) {
    this.bytesMax = bytesMax;
  }

  add(chunk: Buffer): void {
    this.bytes += chunk.length;
    if (this.bytes > this.bytesMax) throw tooLarge(this.bytesMax);
    if (chunk.length > 0) this.chunks.push(chunk);
  }

  take(): Buffer {
    const whole = this.chunks.length === 1 ? this.chunks[0]! : Buffer.concat(this.chunks);
    this.chunks = [];
    this.bytes = 0;
    return whole;
  }
}

function tooLarge(bytesMax: number): ConnectionError {
  return new ConnectionError(`a frame of the watch is larger than ${bytesMax} bytes`);
}

/** JSON events, one a line. */
export class LineSplitter implements FrameSplitter {
  private readonly partial: PartialFrame;

  constructor(bytesMax: number) {
    this.partial = new PartialFrame(bytesMax);
  }

  get isWithinFrame(): boolean {
    return this.partial.bytes > 0;
  }

  push(chunk: Buffer): Buffer[] {
    const frames: Buffer[] = [];
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      this.partial.add(chunk.subarray(start, end));
      start = end + 1;
      if (this.partial.bytes > 0) frames.push(this.partial.take());
    }
    this.partial.add(chunk.subarray(start));
    return frames;
  }
}

/** Frames behind their length: four bytes, big-endian. */
export class LengthSplitter implements FrameSplitter {
  private readonly partial: PartialFrame;
  private length: number | undefined;

  constructor(bytesMax: number) {
    this.partial = new PartialFrame(bytesMax);
  }

  get isWithinFrame(): boolean {
    return this.length !== undefined || this.partial.bytes > 0;
  }

  push(chunk: Buffer): Buffer[] {
    const frames: Buffer[] = [];
    let start = 0;
    for (;;) {
      const missing = (this.length ?? LENGTH_BYTES) - this.partial.bytes;
      this.partial.add(chunk.subarray(start, start + missing));
      if (chunk.length - start < missing) return frames;
      start += missing;
      const whole = this.partial.take();
      if (this.length === undefined) {
        this.length = whole.readUInt32BE(0);
        if (this.length > this.partial.bytesMax) throw tooLarge(this.partial.bytesMax);
      } else {
        frames.push(whole);
        this.length = undefined;
      }
    }
  }
}
