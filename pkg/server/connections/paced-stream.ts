import { Transform, type TransformCallback } from 'node:stream';
import type { TokenBucket } from '../../apimachinery/collections/token-bucket.ts';

/** Runs `then` once, `ms` milliseconds later; the returned function cancels it. */
export type Wait = (ms: number, then: () => void) => () => void;

/** The rate limit of a stream. */
export interface Pace {
  /** A token for each byte; streams that share it share its rate. */
  readonly bucket: TokenBucket;
  /** Bytes passed on at once; the bucket must be able to hold as many. */
  readonly sliceBytes: number;
  readonly bytesPerSecond: number;
  readonly wait: Wait;
}

/**
 * Passes bytes on in slices, each when there are tokens for it. Back-pressure applies to the source: a chunk or two is
 * held here.
 */
export class PacedStream extends Transform {
  private readonly pace: Pace;
  private callOff: (() => void) | undefined;

  constructor(pace: Pace) {
    super();
    this.pace = pace;
  }

  /** Taken but not yet passed on. */
  get heldBytes(): number {
    return this.writableLength + this.readableLength;
  }

  /** How long `bytes` take where nothing else shares the rate, milliseconds. */
  msFor(bytes: number): number {
    return (bytes / this.pace.bytesPerSecond) * 1000;
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.passOn(chunk, done);
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.callOff?.();
    done(error);
  }

  private passOn(rest: Buffer, done: TransformCallback): void {
    const { bucket, sliceBytes, wait } = this.pace;
    if (rest.length === 0) {
      done();
      return;
    }
    const slice = rest.subarray(0, sliceBytes);
    const send = (): void => {
      this.push(slice);
      this.passOn(rest.subarray(slice.length), done);
    };
    const waitMs = bucket.spend(slice.length);
    if (waitMs === 0) send();
    else this.callOff = wait(waitMs, send);
  }
}
