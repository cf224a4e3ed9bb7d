/**
 * The client's side of one HTTP/2 connection (RFC 9113), as far as gRPC to etcd needs it: streams with flow control
 * both ways, no priorities, no pushes, no dynamic header table. Everything sent in one turn of the event loop goes out
 * in one write. Node's own client makes a Duplex with all its events for each request, which costs several times as
 * much as the request (docs/decisions/0001-etcd-transport.md).
 */
import type { Socket } from 'node:net';
import { dialMember } from './dial-member.ts';
import type { TlsMaterial } from './dial-member.ts';
import { checkFrame, readSettings } from './check-frame.ts';
import { HeaderBlockReader } from './header-block.ts';
import {
  connectionPreface,
  contentOf,
  encodeFrame,
  encodeNumberFrame,
  encodeSettings,
  errorCode,
  frameFlag,
  FrameReader,
  frameType,
  setting,
  windowBytesDefault,
} from './http2-frames.ts';
import type { Frame } from './http2-frames.ts';
import { Http2Sender } from './http2-sender.ts';
import { Http2Stream } from './http2-stream.ts';
import type { BrokenStream, StreamListener } from './http2-stream.ts';

/** Default of the time that a member may take until it speaks HTTP/2. */
export const dialTimeoutMsMin = 2000;
const pingIntervalMs = 10_000;
const pingTimeoutMs = 5000;
/** HTTP/2 starts with windows of 64 KiB, which makes a page of values wait for many updates. */
const windowBytes = 8 * 1024 * 1024;
const connectionWindowBytes = 64 * 1024 * 1024;
/** Limit of the frames of one header block, against blocks without end. */
const headerPartsMax = 64;
const streamIdMax = 2 ** 31 - 1;

export class Http2Connection {
  readonly #url: URL;
  readonly #socket: Socket;
  readonly #sender: Http2Sender;
  readonly #frames = new FrameReader();
  readonly #headerBlocks = new HeaderBlockReader();
  readonly #streams = new Map<number, Http2Stream>();
  /** Requests that cannot start yet: the connection is not up, or the peer allows no more at a time. */
  #waiting: Http2Stream[] = [];
  #isReady = false;
  #isGoingAway = false;
  #isClosed = false;
  #isTooSlow = false;
  #nextId = 1;
  #receivedBytes = 0;
  #streamsMax = Infinity;
  /** A header block whose end is still to come. */
  #openBlock: { stream: number; flags: number; parts: Buffer[] } | undefined;
  #dialTimer: NodeJS.Timeout;
  #pingTimer: NodeJS.Timeout | undefined;
  #pongTimer: NodeJS.Timeout | undefined;

  /** Connects at once; requests wait until it is up. */
  constructor(url: URL, tls: TlsMaterial, dialTimeoutMs = dialTimeoutMsMin) {
    this.#url = url;
    this.#socket = dialMember(
      url,
      tls,
      () => this.#open(),
      (reason) => this.#fail(reason),
    );
    this.#sender = new Http2Sender(this.#socket);
    this.#socket.setNoDelay(true);
    this.#socket.unref();
    this.#socket.on('data', (chunk: Buffer) => this.#receive(chunk));
    this.#socket.on('error', (cause) => this.#fail(cause.message, cause));
    this.#socket.on('close', () => this.#fail('the connection was closed'));
    this.#dialTimer = setTimeout(() => {
      this.#isTooSlow = true;
      this.#fail(`no connection within ${dialTimeoutMs} ms`);
    }, dialTimeoutMs).unref();
  }

  /** True when it was given up before the member spoke. */
  get isTooSlow(): boolean {
    return this.#isTooSlow;
  }

  /** False when a new request needs a new connection. */
  get isUsable(): boolean {
    return !this.#isGoingAway && !this.#isClosed;
  }

  /**
   * Starts a request. `isOneMessage`: `body` is the whole message; otherwise the stream stays open for the answer
   * alone. The listener is never called before this returns.
   */
  request(headerBlock: Buffer, body: Buffer, isOneMessage: boolean, listener: StreamListener): Http2Stream {
    const stream = new Http2Stream(headerBlock, body, isOneMessage, listener);
    this.#waiting.push(stream);
    this.#socket.ref();
    if (this.#isClosed) queueMicrotask(() => this.#fail('the connection is closed'));
    else this.#startWaiting();
    return stream;
  }

  /** Ends a request early; its listener is not called again. Returns whether the peer may still read it. */
  cancel(stream: Http2Stream): boolean {
    // The peer cannot use an incomplete message.
    const sent = stream.id !== 0 && stream.unsent.length === 0;
    if (stream.id === 0) this.#waiting = this.#waiting.filter((each) => each !== stream);
    else if (this.#streams.has(stream.id)) {
      this.#sender.send(encodeNumberFrame(frameType.resetStream, stream.id, errorCode.cancel));
      this.#forget(stream);
    }
    this.#settleIdle();
    return sent;
  }

  /** Lets the peer send no more than its window, until `resume`. */
  pause(stream: Http2Stream): void {
    stream.isPaused = true;
  }

  resume(stream: Http2Stream): void {
    if (!stream.isPaused) return;
    stream.isPaused = false;
    if (this.#streams.has(stream.id)) this.#openStreamWindow(stream);
  }

  close(): void {
    this.#fail('the connection is closed');
  }

  #open(): void {
    const settings = encodeSettings([
      [setting.headerTableSize, 0],
      [setting.enablePush, 0],
      [setting.initialWindowSize, windowBytes],
    ]);
    const wider = encodeNumberFrame(frameType.windowUpdate, 0, connectionWindowBytes - windowBytesDefault);
    this.#socket.write(Buffer.concat([connectionPreface, settings, wider]));
  }

  /** The peer's settings have come, which are its first frame. */
  #becomeReady(): void {
    this.#isReady = true;
    clearTimeout(this.#dialTimer);
    this.#pingTimer = setInterval(() => {
      // etcd closes connections that ping without need.
      if (this.#streams.size === 0) return;
      // A broken network reports nothing.
      this.#pongTimer ??= setTimeout(() => this.#fail('no answer to a ping'), pingTimeoutMs).unref();
      this.#sender.send(encodeFrame(frameType.ping, 0, 0, Buffer.alloc(8)));
    }, pingIntervalMs).unref();
  }

  #startWaiting(): void {
    while (this.#isReady && this.#waiting.length > 0 && this.#streams.size < this.#streamsMax)
      this.#start(this.#waiting.shift()!);
  }

  #start(stream: Http2Stream): void {
    stream.id = this.#nextId;
    this.#nextId += 2;
    this.#streams.set(stream.id, stream);
    this.#sender.start(stream);
    // Ids are not used again: a connection without any left ends when its streams have.
    if (this.#nextId > streamIdMax) this.#handleGoaway(streamIdMax);
  }

  #receive(chunk: Buffer): void {
    try {
      this.#frames.push(chunk, (frame) => {
        if (!this.#isClosed) this.#handle(frame);
      });
      this.#giveBackWindow();
    } catch (cause) {
      // A server that never spoke HTTP/2 is no etcd, and no other client would succeed.
      this.#fail(`the peer broke the protocol: ${(cause as Error).message}`, cause, this.#isReady);
    }
  }

  #handle(frame: Frame): void {
    if (this.#openBlock !== undefined && frame.type !== frameType.continuation)
      throw new RangeError('a frame within a header block');
    if (!this.#isReady && frame.type !== frameType.settings)
      throw new RangeError(`a frame of type ${frame.type} before the settings`);
    checkFrame(frame, this.#nextId);
    switch (frame.type) {
      case frameType.data:
        return this.#handleData(frame);
      case frameType.headers:
        return this.#handleHeaders(frame);
      case frameType.continuation:
        return this.#handleContinuation(frame);
      case frameType.settings:
        return this.#handleSettings(frame);
      case frameType.windowUpdate:
        return this.#handleWindowUpdate(frame);
      case frameType.goaway:
        return this.#handleGoaway(frame.payload.readUInt32BE(0) & 0x7fff_ffff);
      case frameType.ping:
        if (!(frame.flags & frameFlag.ack))
          return this.#sender.reply(encodeFrame(frameType.ping, frameFlag.ack, 0, frame.payload));
        clearTimeout(this.#pongTimer);
        this.#pongTimer = undefined;
        return;
      case frameType.resetStream: {
        const code = frame.payload.readUInt32BE(0);
        const stream = this.#streams.get(frame.stream);
        if (stream !== undefined)
          this.#end(stream, {
            message: `the peer reset the stream (${code})`,
            sent: code !== errorCode.refusedStream || stream.hasAnswer,
          });
        return;
      }
      default: // Unknown frames are to be ignored.
    }
  }

  #handleData(frame: Frame): void {
    // Padding counts as well, and so does data of a stream that was cancelled.
    this.#receivedBytes += frame.payload.length;
    const stream = this.#streams.get(frame.stream);
    if (stream === undefined) return;
    stream.receivedBytes += frame.payload.length;
    if (stream.receivedBytes > windowBytes) throw new RangeError('more data than the window takes');
    stream.hasAnswer = true;
    const data = contentOf(frame);
    if (data.length > 0) stream.listener.onData(data);
    if (frame.flags & frameFlag.endStream) this.#end(stream, undefined);
    else if (!stream.isPaused && stream.receivedBytes > windowBytes / 2) this.#openStreamWindow(stream);
  }

  #handleHeaders(frame: Frame): void {
    const block = contentOf(frame);
    if (frame.flags & frameFlag.endHeaders) this.#endBlock(frame.stream, frame.flags, block);
    else this.#openBlock = { stream: frame.stream, flags: frame.flags, parts: [block] };
  }

  #handleContinuation(frame: Frame): void {
    const open = this.#openBlock;
    if (open?.stream !== frame.stream) throw new RangeError('a continuation of nothing');
    open.parts.push(frame.payload);
    if (open.parts.length > headerPartsMax) throw new RangeError('headers without an end');
    if (!(frame.flags & frameFlag.endHeaders)) return;
    this.#openBlock = undefined;
    this.#endBlock(open.stream, open.flags, Buffer.concat(open.parts));
  }

  #endBlock(id: number, flags: number, block: Buffer): void {
    const stream = this.#streams.get(id);
    if (stream === undefined) return;
    stream.hasAnswer = true;
    stream.listener.onHeaders(this.#headerBlocks.read(block));
    if (flags & frameFlag.endStream) this.#end(stream, undefined);
  }

  #handleSettings(frame: Frame): void {
    const values = readSettings(frame);
    if (frame.flags & frameFlag.ack) return;
    for (const [id, value] of values) {
      switch (id) {
        case setting.maxConcurrentStreams:
          this.#streamsMax = value;
          break;
        case setting.headerTableSize:
          this.#sender.changeTableSize();
          break;
        case setting.maxFrameSize:
          this.#sender.changePayloadMax(value);
          break;
        case setting.initialWindowSize:
          this.#sender.changeStreamWindow(value, this.#streams.values());
          break;
        default: // No other setting concerns a client without pushes that compresses nothing.
      }
    }
    this.#sender.reply(encodeFrame(frameType.settings, frameFlag.ack, 0, Buffer.alloc(0)));
    if (!this.#isReady) this.#becomeReady();
    this.#startWaiting();
  }

  #handleWindowUpdate({ stream: id, payload }: Frame): void {
    const increment = payload.readUInt32BE(0) & 0x7fff_ffff;
    // Closed streams get updates too.
    const stream = this.#streams.get(id);
    if (id === 0 || stream !== undefined) this.#sender.widen(stream, increment);
  }

  /** The peer accepts no new streams, and has not read those above the last. */
  #handleGoaway(lastStream: number): void {
    this.#isGoingAway = true;
    const message = 'the peer closes the connection';
    for (const stream of this.#waiting.splice(0)) stream.listener.onEnd({ message, sent: false });
    for (const stream of this.#streams.values())
      if (stream.id > lastStream) this.#end(stream, { message, sent: stream.hasAnswer });
    this.#settleIdle();
  }

  #openStreamWindow(stream: Http2Stream): void {
    if (stream.receivedBytes === 0) return;
    this.#sender.send(encodeNumberFrame(frameType.windowUpdate, stream.id, stream.receivedBytes));
    stream.receivedBytes = 0;
  }

  #giveBackWindow(): void {
    if (this.#receivedBytes < connectionWindowBytes / 4 || this.#isClosed) return;
    this.#sender.send(encodeNumberFrame(frameType.windowUpdate, 0, this.#receivedBytes));
    this.#receivedBytes = 0;
  }

  #end(stream: Http2Stream, broken: BrokenStream | undefined): void {
    // An answer may be complete before its request is: the rest of the request is of no use.
    const isCutShort = broken === undefined && (stream.unsent.length > 0 || !stream.isOneMessage);
    if (isCutShort) this.#sender.send(encodeNumberFrame(frameType.resetStream, stream.id, errorCode.cancel));
    this.#forget(stream);
    stream.listener.onEnd(broken);
    this.#settleIdle();
  }

  #forget(stream: Http2Stream): void {
    this.#streams.delete(stream.id);
    this.#sender.forget(stream);
    this.#startWaiting();
  }

  /** An idle connection keeps no process alive, and one that is closing is of no use. */
  #settleIdle(): void {
    if (this.#streams.size > 0 || this.#waiting.length > 0) return;
    this.#socket.unref();
    if (this.#isGoingAway) this.#fail('the peer closed the connection');
  }

  #fail(reason: string, cause?: unknown, notUnderstood = false): void {
    const waiting = this.#waiting.splice(0);
    const streams = [...this.#streams.values()];
    this.#streams.clear();
    if (!this.#isClosed) {
      this.#isClosed = true;
      clearTimeout(this.#dialTimer);
      clearInterval(this.#pingTimer);
      clearTimeout(this.#pongTimer);
      this.#socket.destroy();
    }
    const message = `${this.#url.origin}: ${reason}`;
    for (const stream of [...streams, ...waiting])
      stream.listener.onEnd({ message, sent: this.#sender.hasSent(stream), cause, notUnderstood });
  }
}
