import { TIMER_MS_MAX } from '../../apimachinery/values/duration.ts';
import type { FrameBatch } from '../../storage/cacher/frame-batch.ts';
import type { WatchSink } from '../../storage/cacher/watch-group.ts';
import type { PacedStream } from '../connections/paced-stream.ts';
import type { RawResponse } from '../request/request-context.ts';
import { END_GRACE_MS, waitForDrain, watchSink } from './watch-sink.ts';

/**
 * A watcher's stream with a rate limit. Bytes that the limit holds back count as not taken: a watcher whose events are
 * more than its connection may carry is ended like one that reads too slowly. The rest of an ended stream gets the time
 * that it takes at that rate, and `endGraceMs`.
 */
export function pacedWatchSink(response: RawResponse, pace: PacedStream, endGraceMs = END_GRACE_MS): WatchSink {
  return new PacedWatchSink(response, pace, endGraceMs);
}

class PacedWatchSink implements WatchSink {
  private readonly response: RawResponse;
  private readonly pace: PacedStream;
  private readonly connection: WatchSink;
  private readonly endGraceMs: number;
  private ended = false;

  constructor(response: RawResponse, pace: PacedStream, endGraceMs: number) {
    this.response = response;
    this.pace = pace;
    this.connection = watchSink(response);
    this.endGraceMs = endGraceMs;
    pace.pipe(response as NodeJS.WritableStream);
    response.once('close', () => pace.destroy());
  }

  get bufferedBytes(): number {
    return this.pace.heldBytes + this.connection.bufferedBytes;
  }

  get closed(): boolean {
    return this.ended || this.connection.closed;
  }

  write(batch: FrameBatch): void {
    if (!this.closed) this.pace.write(batch.bytes);
  }

  drained(): Promise<void> {
    return waitForDrain(this.pace, () => this.closed || this.bufferedBytes === 0);
  }

  end(): void {
    if (this.ended) return;
    this.ended = true;
    const { response, pace } = this;
    const timer = setTimeout(
      () => response.destroy(),
      Math.min(this.endGraceMs + pace.msFor(this.bufferedBytes), TIMER_MS_MAX),
    ).unref();
    response.once('close', () => clearTimeout(timer));
    pace.end();
  }
}
