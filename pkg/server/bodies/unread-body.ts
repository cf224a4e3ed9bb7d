import { constants, type ServerHttp2Stream } from 'node:http2';
import net, { type Socket } from 'node:net';
import { hangUp } from '../listener/hang-up.ts';
import type { RawRequest, RawResponse } from '../request/request-context.ts';

/**
 * Announced bytes of a body that are read and dropped so that a connection of HTTP/1.1 can go on behind a request that
 * was refused.
 */
const DROPPED_BYTES_MAX = 256 * 1024;
/** How often it is looked whether a client that sends on has its answer, milliseconds. */
const STOP_LOOK_MS = 20;

/** Whether a request has a body, of whatever length; over HTTP/1.1 one of length 0 is none. */
export function hasBody(request: RawRequest): boolean {
  if ('stream' in request) return !request.stream.endAfterHeaders;
  const { headers } = request;
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) !== 0;
}

/**
 * A request's body before anybody has read it. Until it is read, or handed on to be, an answer over HTTP/1.1 says that
 * the connection is closed behind it, unless what is left is little: the next request could only be found behind all of
 * the body.
 */
export class UnreadBody {
  /** Goes through a proxy as it comes. */
  readonly streamed: boolean;
  /** Undefined where only the end tells. */
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
    // Who waits for leave to send may send the body all the same, or the next request in its place.
    const isLittle = !this.expectsContinue && (this.announcedBytes ?? Infinity) <= DROPPED_BYTES_MAX;
    if (isLittle && this.keepAlive) return;
    this.endingSocket = socket;
    if (!isLittle) response.shouldKeepAlive = false;
    socket.destroySoon = () => hangUp(socket);
  }

  /** Somebody is about to read the request: the client is told so where it waits for that. */
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

/** Has an HTTP/2 client that is still sending stop once it has its answer. */
export function stopSending(request: RawRequest): void {
  if (!('stream' in request) || request.stream.destroyed) return;
  const stream: ServerHttp2Stream = request.stream;
  // A reset overtakes the end of an answer that is not on its way yet, and nothing tells when it is.
  const timer = setInterval(
    () => void (stream.state.localClose === 1 && stream.close(constants.NGHTTP2_NO_ERROR)),
    STOP_LOOK_MS,
  ).unref();
  stream.once('close', () => clearInterval(timer));
}
