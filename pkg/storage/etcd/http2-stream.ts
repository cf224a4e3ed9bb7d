/** One request on an HTTP/2 connection, with its answer. */
import type { Headers } from './header-block.ts';

/** Why a stream ended before its answer did. */
export interface BrokenStream {
  readonly message: string;
  /** False when the peer has certainly not read the request. */
  readonly sent: boolean;
  /** The peer sent what this client does not understand: another one may. */
  readonly notUnderstood?: boolean;
  readonly cause?: unknown;
}

/** Called with one stream's answer, in the order in which it arrived. After `onEnd` nothing is called. */
export interface StreamListener {
  /** Twice in a whole answer: headers and trailers. */
  onHeaders(headers: Headers): void;
  /** A view into what was received. */
  onData(data: Buffer): void;
  onEnd(broken: BrokenStream | undefined): void;
}

export class Http2Stream {
  /** 0: waits for its turn. */
  id = 0;
  sendWindow = 0;
  /** Received and not yet returned to the peer's window. */
  receivedBytes = 0;
  isPaused = false;
  /** A part of the answer has come, so the peer has read the request, even if it reports otherwise later. */
  hasAnswer = false;
  unsent: Buffer;
  readonly isOneMessage: boolean;
  readonly headerBlock: Buffer;
  readonly listener: StreamListener;

  constructor(headerBlock: Buffer, body: Buffer, isOneMessage: boolean, listener: StreamListener) {
    this.headerBlock = headerBlock;
    this.unsent = body;
    this.isOneMessage = isOneMessage;
    this.listener = listener;
  }
}
