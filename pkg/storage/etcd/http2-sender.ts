/**
 * What one connection sends: frames gathered into one write a turn, and bodies as far as the peer's windows allow (RFC
 * 9113, 5.2).
 */
import type { Socket } from 'node:net';
import {
  encodeFrame,
  frameFlag,
  frameHeaderBytes,
  frameType,
  payloadBytesDefault,
  windowBytesDefault,
  windowBytesMax,
  writeFrameHeader,
} from './http2-frames.ts';
import type { Http2Stream } from './http2-stream.ts';

/** More than all calls and watches of a server under load; a peer that reads nothing gets no more replies. */
const unreadBytesMax = 256 * 1024 * 1024;

/** A dynamic table size update to 0. */
const noTable = Buffer.from([0x20]);

export class Http2Sender {
  readonly #socket: Socket;
  /** Streams whose bodies wait for a window. */
  readonly #blocked = new Set<Http2Stream>();
  #output: Buffer[] = [];
  #isFlushPlanned = false;
  #startedUpTo = 0;
  #flushedUpTo = 0;
  #window = windowBytesDefault;
  #streamWindow = windowBytesDefault;
  #payloadBytesMax = payloadBytesDefault;
  #owesTableSize = true;

  constructor(socket: Socket) {
    this.#socket = socket;
  }

  /** Whether the whole request may have left this process: the peer cannot use less. */
  hasSent(stream: Http2Stream): boolean {
    return stream.id !== 0 && stream.id <= this.#flushedUpTo && stream.unsent.length === 0;
  }

  /** Sends the replies that the peer's frames require. Throws when it keeps asking without reading the answers. */
  reply(bytes: Buffer): void {
    if (this.#socket.writableLength > unreadBytesMax)
      throw new RangeError('requests without end, whose answers are never read');
    this.send(bytes);
  }

  send(bytes: Buffer): void {
    this.#output.push(bytes);
    if (this.#isFlushPlanned) return;
    this.#isFlushPlanned = true;
    setImmediate(() => this.#flush());
  }

  /** Sends the headers of a stream that has just got its id, and as much of its body as the windows allow. */
  start(stream: Http2Stream): void {
    this.#startedUpTo = stream.id;
    stream.sendWindow = this.#streamWindow;
    const block = this.#owesTableSize ? Buffer.concat([noTable, stream.headerBlock]) : stream.headerBlock;
    this.#owesTableSize = false;
    this.send(encodeFrame(frameType.headers, frameFlag.endHeaders, stream.id, block));
    this.#sendBody(stream);
  }

  /** Sends nothing more of the stream's body. */
  forget(stream: Http2Stream): void {
    this.#blocked.delete(stream);
  }

  /** The window grows: of this stream, or of the connection. */
  widen(stream: Http2Stream | undefined, bytes: number): void {
    if (bytes === 0) throw new RangeError('a window that grows by nothing');
    if (stream === undefined) this.#window = checked(this.#window + bytes);
    else stream.sendWindow = checked(stream.sendWindow + bytes);
    this.#sendBlocked();
  }

  /** The initial window of streams has changed, which counts for open ones as well. */
  changeStreamWindow(bytes: number, open: Iterable<Http2Stream>): void {
    for (const stream of open) stream.sendWindow = checked(stream.sendWindow + bytes - this.#streamWindow);
    this.#streamWindow = bytes;
    this.#sendBlocked();
  }

  /**
   * The peer's header table has another size now, so the next block repeats that none of it is used (RFC 7541, 4.2).
   */
  changeTableSize(): void {
    this.#owesTableSize = true;
  }

  changePayloadMax(bytes: number): void {
    this.#payloadBytesMax = bytes;
  }

  #sendBlocked(): void {
    for (const stream of this.#blocked) {
      if (this.#window <= 0) return;
      this.#sendBody(stream);
    }
  }

  #sendBody(stream: Http2Stream): void {
    while (stream.unsent.length > 0) {
      const length = Math.min(stream.unsent.length, this.#window, stream.sendWindow, this.#payloadBytesMax);
      if (length <= 0) {
        this.#blocked.add(stream);
        return;
      }
      const isLast = stream.isOneMessage && length === stream.unsent.length;
      const header = Buffer.allocUnsafe(frameHeaderBytes);
      writeFrameHeader(header, 0, {
        length,
        type: frameType.data,
        flags: isLast ? frameFlag.endStream : 0,
        stream: stream.id,
      });
      this.send(header);
      this.send(stream.unsent.subarray(0, length));
      stream.unsent = stream.unsent.subarray(length);
      this.#window -= length;
      stream.sendWindow -= length;
    }
    this.#blocked.delete(stream);
  }

  #flush(): void {
    this.#isFlushPlanned = false;
    if (this.#socket.destroyed) return;
    this.#flushedUpTo = this.#startedUpTo;
    const output = this.#output;
    this.#output = [];
    this.#socket.write(Buffer.concat(output));
  }
}

function checked(windowBytes: number): number {
  if (windowBytes > windowBytesMax) throw new RangeError('a window beyond its bound');
  return windowBytes;
}
