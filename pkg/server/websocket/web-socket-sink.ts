import type { Socket } from 'node:net';
import { TIMER_MS_MAX } from '../../apimachinery/values/duration.ts';
import type { FrameBatch } from '../../storage/cacher/frame-batch.ts';
import type { WatchSink } from '../../storage/cacher/watch-group.ts';
import type { PacedStream } from '../connections/paced-stream.ts';
import { END_GRACE_MS, waitForDrain } from '../watches/watch-sink.ts';
import { ClientFrames } from './client-frames.ts';
import { binaryMessages, closeCodes, closeFrame, pongFrame, textMessages } from './server-frames.ts';

export interface WebSocketSinkSettings {
  /** Events are protobuf, not JSON. */
  readonly binary: boolean;
  /** What its bytes keep to; undefined: nothing. */
  readonly pace: PacedStream | undefined;
  readonly endGraceMs?: number;
}

/**
 * A watcher's WebSocket: each event is a message. Ends with a close frame, and when the client sends one or
 * disconnects; other messages of the client are skipped. Bytes that a rate limit holds back count as not taken.
 */
export class WebSocketSink implements WatchSink {
  private readonly socket: Socket;
  private readonly settings: Required<WebSocketSinkSettings>;
  private ended = false;

  /** `socket`: a connection that has been switched. */
  constructor(socket: Socket, settings: WebSocketSinkSettings) {
    this.socket = socket;
    this.settings = { endGraceMs: END_GRACE_MS, ...settings };
    const { pace } = settings;
    if (pace !== undefined) {
      pace.pipe(socket);
      socket.once('close', () => pace.destroy());
    }
    const frames = new ClientFrames({ ping: (payload) => this.answerPing(payload), end: (code) => this.endWith(code) });
    socket.on('data', (bytes: Buffer) => frames.push(bytes));
    socket.once('end', () => this.end());
  }

  private get stream(): PacedStream | Socket {
    return this.settings.pace ?? this.socket;
  }

  get bufferedBytes(): number {
    return this.socket.writableLength + (this.settings.pace?.heldBytes ?? 0);
  }

  get closed(): boolean {
    return this.ended || this.socket.destroyed;
  }

  write(batch: FrameBatch): void {
    if (!this.closed) this.stream.write(batch.encoded(this.settings.binary ? binaryMessages : textMessages));
  }

  drained(): Promise<void> {
    return waitForDrain(this.stream, () => this.closed || this.bufferedBytes === 0);
  }

  end(): void {
    this.endWith(closeCodes.normal);
  }

  private endWith(code: number): void {
    if (this.ended) return;
    this.ended = true;
    const {
      socket,
      settings: { pace, endGraceMs },
    } = this;
    const graceMs = endGraceMs + (pace?.msFor(this.bufferedBytes) ?? 0);
    const timer = setTimeout(() => socket.destroy(), Math.min(graceMs, TIMER_MS_MAX)).unref();
    socket.once('close', () => clearTimeout(timer));
    this.stream.end(closeFrame(code));
  }

  /** Pings that come while the client does not read are left unanswered: their answers would pile up. */
  private answerPing(payload: Uint8Array): void {
    if (!this.closed && !this.stream.writableNeedDrain) this.stream.write(pongFrame(payload));
  }
}
