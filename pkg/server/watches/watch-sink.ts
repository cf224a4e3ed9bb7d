import type { ServerResponse } from 'node:http';
import type { FrameBatch } from '../../storage/cacher/frame-batch.ts';
import type { WatchSink } from '../../storage/cacher/watch-group.ts';
import type { RawResponse } from '../request/request-context.ts';

/**
 * Time that a client has to take the rest of an ended stream, milliseconds; one that reads nothing would keep its
 * connection and buffers for ever.
 */
export const END_GRACE_MS = 3000;

/**
 * A watcher's stream on its connection. On HTTP/1.1 batches go to the socket as ready-made chunks, the same bytes for
 * all watchers, on HTTP/1.0 as they are; on HTTP/2 the stream frames them itself. A client has `endGraceMs` to take the
 * rest of an ended stream.
 */
export function watchSink(response: RawResponse, endGraceMs = END_GRACE_MS): WatchSink {
  return 'stream' in response ? new Http2Sink(response, endGraceMs) : new Http1Sink(response, endGraceMs);
}

function endSoon(response: RawResponse, graceMs: number): void {
  response.end();
  const timer = setTimeout(() => response.destroy(), graceMs);
  timer.unref();
  response.once('close', () => clearTimeout(timer));
}

class Http1Sink implements WatchSink {
  private readonly response: ServerResponse;
  private readonly endGraceMs: number;
  private readonly chunked: boolean;
  private ended = false;

  constructor(response: ServerResponse, endGraceMs: number) {
    this.response = response;
    this.endGraceMs = endGraceMs;
    this.chunked = response.getHeader('transfer-encoding') === 'chunked';
  }

  get bufferedBytes(): number {
    return this.response.socket?.writableLength ?? this.response.writableLength;
  }

  /**
   * A response without a socket is not closed: it waits for the one before it on its connection, and node keeps what is
   * written meanwhile.
   */
  get closed(): boolean {
    const { response } = this;
    return this.ended || response.destroyed || response.writableFinished || response.socket?.destroyed === true;
  }

  write(batch: FrameBatch): void {
    if (this.closed) return;
    const { socket } = this.response;
    // Headers went out at once (flushHeaders), so the socket is ours and in order.
    if (socket !== null && this.response.writableLength === socket.writableLength)
      socket.write(this.chunked ? batch.http1Chunk() : batch.bytes);
    else this.response.write(batch.bytes);
  }

  drained(): Promise<void> {
    return waitForDrain(this.response.socket ?? this.response, () => this.closed || this.bufferedBytes === 0);
  }

  end(): void {
    if (this.ended) return;
    this.ended = true;
    endSoon(this.response, this.endGraceMs);
  }
}

class Http2Sink implements WatchSink {
  private readonly response: Exclude<RawResponse, ServerResponse>;
  private readonly endGraceMs: number;
  private ended = false;

  constructor(response: Exclude<RawResponse, ServerResponse>, endGraceMs: number) {
    this.response = response;
    this.endGraceMs = endGraceMs;
  }

  get bufferedBytes(): number {
    return this.response.stream?.writableLength ?? 0;
  }

  get closed(): boolean {
    return (
      this.ended || this.response.stream === undefined || this.response.stream.destroyed || this.response.stream.closed
    );
  }

  write(batch: FrameBatch): void {
    if (!this.closed) this.response.stream.write(batch.bytes);
  }

  drained(): Promise<void> {
    return waitForDrain(this.response.stream, () => this.closed || this.bufferedBytes === 0);
  }

  end(): void {
    if (this.ended) return;
    this.ended = true;
    endSoon(this.response, this.endGraceMs);
  }
}

/**
 * Resolves at the next drain or close; streams that never filled up emit none, so `done` is asked first and after a
 * write.
 */
export function waitForDrain(stream: NodeJS.WritableStream, done: () => boolean): Promise<void> {
  return new Promise((resolve) => {
    if (done()) {
      resolve();
      return;
    }
    const settle = (): void => {
      stream.off('drain', settle);
      stream.off('close', settle);
      resolve();
    };
    stream.on('drain', settle);
    stream.on('close', settle);
    // An empty write's callback comes after everything before it has been handed to the system.
    (stream as unknown as { write(chunk: Uint8Array, callback: () => void): void }).write(new Uint8Array(0), settle);
  });
}
