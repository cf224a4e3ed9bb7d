import { constants, type ServerHttp2Stream } from 'node:http2';
import net, { type Socket } from 'node:net';
import { hangUp } from '../listener/hang-up.ts';
import type { RawRequest, RawResponse } from '../request/request-context.ts';

/**
 * Announced bytes of a body that are read and dropped so that a connection of HTTP/1.1 can continue behind a request
 * that was refused.
 */
const DROPPED_BYTES_MAX = 256 * 1024;
/** How often to check whether a client that continues to send has its answer, milliseconds. */
const STOP_LOOK_MS = 20;

/** Whether a request has a body, of any length; over HTTP/1.1 one of length 0 is none. */
export function hasBody(request: RawRequest): boolean {
  if ('stream' in request) return !request.stream.endAfterHeaders;
  const { headers } = request;
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) !== 0;
}

/**
 * A request's body before it is read. Until it is read, or passed to a reader, an answer over HTTP/1.1 says that the
 * connection is closed behind it, unless the rest is short: the next request could only be found behind all of the
 * body.
 */
export class UnreadBody {
  /** A proxy streams it. */
  readonly streamed: boolean;
  /** Undefined where only the end shows it. */
  readonly announcedBytes: number | undefined;
  private readonly response: RawResponse;
  private readonly expectsContinue: boolean;
  /** Of HTTP/1.1, where the connection is not to be used again unless the body is read. */
  private endingSocket: Socket | undefined;
  private keepAlive = false;

  constructor(
    request: RawRequest,
    response: RawResponse,
    { streamed, expectsContinue }: { streamed: boolean; expectsContinue: boolean },
  ) {
    this.response = response;
    this.streamed = streamed;
    this.expectsContinue = expectsContinue;
    const length = request.headers['content-length'];
    this.announcedBytes = length === undefined ? undefined : Number(length);
    if (!('stream' in request)) this.endConnection(request.socket);
  }

  private endConnection(socket: Socket): void {
    const response = this.response as { shouldKeepAlive: boolean };
    this.keepAlive = response.shouldKeepAlive;
    // A client that waits for 100 Continue may send the body all the same, or the next request in its place.
    const isLittle = !this.expectsContinue && (this.announcedBytes ?? Infinity) <= DROPPED_BYTES_MAX;
    if (isLittle && this.keepAlive) return;
    this.endingSocket = socket;
    if (!isLittle) response.shouldKeepAlive = false;
    socket.destroySoon = () => hangUp(socket);
  }

  /** The request is about to be read: sends 100 Continue where the client waits for it. */
  want(): void {
    if (this.expectsContinue) this.response.writeContinue();
    if (this.streamed) this.keepConnection();
  }

  /** All of it has been read. */
  wasRead(): void {
    this.keepConnection();
  }

  private keepConnection(): void {
    const { endingSocket } = this;
    if (endingSocket === undefined) return;
    this.endingSocket = undefined;
    (this.response as { shouldKeepAlive: boolean }).shouldKeepAlive = this.keepAlive;
    endingSocket.destroySoon = net.Socket.prototype.destroySoon;
  }
}

/** Stops an HTTP/2 client that is still sending when it has its answer. */
export function stopSending(request: RawRequest): void {
  if (!('stream' in request) || request.stream.destroyed) return;
  const stream: ServerHttp2Stream = request.stream;
  // A reset overtakes the end of an answer that is not sent yet, and there is no event for that.
  const timer = setInterval(
    () => void (stream.state.localClose === 1 && stream.close(constants.NGHTTP2_NO_ERROR)),
    STOP_LOOK_MS,
  ).unref();
  stream.once('close', () => clearInterval(timer));
}
