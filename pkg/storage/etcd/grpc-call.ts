/**
 * gRPC on HTTP/2 streams (grpc.io, "gRPC over HTTP2"): calls with one message each way, and calls that answer with
 * many.
 */
import { EtcdCallError, grpcStatus } from './etcd-call-error.ts';
import type { GrpcMethodCounts } from './grpc-call-counts.ts';
import { encodeHeader } from './header-block.ts';
import type { Headers } from './header-block.ts';
import type { Http2Connection } from './http2-connection.ts';
import type { BrokenStream, Http2Stream, StreamListener } from './http2-stream.ts';

const messageHeaderBytes = 5;
/** The status of a call that this side ends. */
const canceled = 1;
/** A page of the largest values, and no more. */
const messageBytesMax = 2 ** 30;

/** Header block of the calls of one method, to which each call adds its deadline. */
export function methodHeaders(url: URL, path: string): Buffer {
  const headers = [
    [':method', 'POST'],
    [':scheme', url.protocol.slice(0, -1)],
    [':authority', url.host],
    [':path', path],
    ['content-type', 'application/grpc'],
    ['te', 'trailers'],
  ] as const;
  return Buffer.concat(headers.map(([name, value]) => encodeHeader(name, value)));
}

/** One message each way. Rejects with `EtcdCallError`. */
export function callUnary(
  connection: Http2Connection,
  headers: Buffer,
  message: Uint8Array,
  timeoutMs: number,
  counts?: GrpcMethodCounts,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const call = new UnaryCall(resolve, reject, counts);
    const deadline = encodeHeader('grpc-timeout', `${Math.max(1, Math.ceil(timeoutMs))}m`);
    call.start(
      connection,
      connection.request(Buffer.concat([headers, deadline]), frame(message), true, call),
      timeoutMs,
    );
  });
}

class UnaryCall implements StreamListener {
  readonly #resolve: (message: Buffer) => void;
  readonly #reject: (error: EtcdCallError) => void;
  readonly #counts: GrpcMethodCounts | undefined;
  readonly #status = new CallStatus();
  #body: Buffer | Buffer[] | undefined;
  #bodyBytes = 0;
  #cancel: (() => boolean) | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(
    resolve: (message: Buffer) => void,
    reject: (error: EtcdCallError) => void,
    counts: GrpcMethodCounts | undefined,
  ) {
    this.#resolve = resolve;
    this.#reject = (error) => {
      counts?.ended(error.code);
      reject(error);
    };
    this.#counts = counts;
    if (counts === undefined) return;
    counts.started++;
    counts.messagesSent++;
  }

  start(connection: Http2Connection, stream: Http2Stream, timeoutMs: number): void {
    this.#cancel = () => connection.cancel(stream);
    this.#timer = setTimeout(() => {
      const sent = connection.cancel(stream);
      this.#reject(
        new EtcdCallError(grpcStatus.deadlineExceeded, `no answer within ${Math.round(timeoutMs)} ms`, { sent }),
      );
    }, timeoutMs);
  }

  onHeaders(headers: Headers): void {
    this.#status.add(headers);
  }

  onData(data: Buffer): void {
    if (this.#body === undefined) this.#body = data;
    else if (Array.isArray(this.#body)) this.#body.push(data);
    else this.#body = [this.#body, data];
    this.#bodyBytes += data.length;
    if (this.#bodyBytes <= messageBytesMax) return;
    clearTimeout(this.#timer);
    this.#cancel?.();
    this.#body = undefined;
    this.#reject(
      new EtcdCallError(grpcStatus.unknown, `an answer of more than ${messageBytesMax} bytes`, {
        sent: true,
        notUnderstood: true,
      }),
    );
  }

  onEnd(broken: BrokenStream | undefined): void {
    clearTimeout(this.#timer);
    const error = broken === undefined ? this.#status.error() : brokenCall(broken);
    if (error !== undefined) return this.#reject(error);
    const body = Array.isArray(this.#body) ? Buffer.concat(this.#body) : this.#body;
    if (
      body === undefined ||
      body.length < messageHeaderBytes ||
      body[0] !== 0 ||
      body.readUInt32BE(1) !== body.length - messageHeaderBytes
    ) {
      return this.#reject(
        new EtcdCallError(grpcStatus.unknown, 'the answer is no single uncompressed message', {
          sent: true,
          notUnderstood: true,
        }),
      );
    }
    if (this.#counts !== undefined) {
      this.#counts.messagesReceived++;
      this.#counts.ended(0);
    }
    this.#resolve(body.subarray(messageHeaderBytes));
  }
}

/** Called with the answers of a call. After `onEnd` nothing is called. */
export interface AnswerListener {
  /** A view into what was received. A listener that throws breaks the call. */
  onMessage(message: Buffer): void;
  onEnd(error: EtcdCallError): void;
}

/** A call that sends one message and gets messages until either side ends it. It has no deadline. */
export class StreamingCall implements StreamListener {
  readonly #connection: Http2Connection;
  readonly #stream: Http2Stream;
  readonly #listener: AnswerListener;
  readonly #counts: GrpcMethodCounts | undefined;
  readonly #status = new CallStatus();
  #rest: Buffer[] = [];
  #restBytes = 0;
  #neededBytes = messageHeaderBytes;
  #ended = false;

  constructor(
    connection: Http2Connection,
    headers: Buffer,
    message: Uint8Array,
    listener: AnswerListener,
    counts?: GrpcMethodCounts,
  ) {
    this.#connection = connection;
    this.#listener = listener;
    this.#counts = counts;
    if (counts !== undefined) {
      counts.started++;
      counts.messagesSent++;
    }
    this.#stream = connection.request(headers, frame(message), false, this);
  }

  pause(): void {
    this.#connection.pause(this.#stream);
  }

  resume(): void {
    this.#connection.resume(this.#stream);
  }

  close(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#counts?.ended(canceled);
    this.#connection.cancel(this.#stream);
  }

  onHeaders(headers: Headers): void {
    this.#status.add(headers);
  }

  onData(data: Buffer): void {
    let bytes = data;
    if (this.#restBytes > 0) {
      this.#rest.push(data);
      this.#restBytes += data.length;
      if (this.#restBytes < this.#neededBytes) return;
      bytes = Buffer.concat(this.#rest);
    }
    let at = 0;
    while (!this.#ended) {
      const left = bytes.length - at;
      this.#neededBytes =
        left < messageHeaderBytes ? messageHeaderBytes : messageHeaderBytes + bytes.readUInt32BE(at + 1);
      if (left > 0 && bytes[at] !== 0) return this.#fail(new RangeError('it is compressed'));
      if (this.#neededBytes > messageBytesMax)
        return this.#fail(new RangeError(`it has more than ${messageBytesMax} bytes`));
      if (left < this.#neededBytes) break;
      const message = bytes.subarray(at + messageHeaderBytes, at + this.#neededBytes);
      at += this.#neededBytes;
      this.#read(message);
    }
    this.#rest = at < bytes.length ? [bytes.subarray(at)] : [];
    this.#restBytes = bytes.length - at;
  }

  onEnd(broken: BrokenStream | undefined): void {
    if (this.#ended) return;
    this.#ended = true;
    const error = broken === undefined ? this.#status.error() : brokenCall(broken);
    this.#counts?.ended(error?.code ?? 0);
    this.#listener.onEnd(
      error ?? new EtcdCallError(grpcStatus.unavailable, 'the server ended the stream', { sent: true }),
    );
  }

  #read(message: Buffer): void {
    if (this.#counts !== undefined) this.#counts.messagesReceived++;
    try {
      this.#listener.onMessage(message);
    } catch (cause) {
      this.#fail(cause as Error);
    }
  }

  #fail(cause: Error): void {
    this.close();
    this.#listener.onEnd(
      new EtcdCallError(grpcStatus.unknown, `an answer cannot be read: ${cause.message}`, {
        sent: true,
        cause,
        notUnderstood: true,
      }),
    );
  }
}

/** The result of a call according to headers and trailers. */
class CallStatus {
  #httpStatus: string | undefined;
  #code: string | undefined;
  #message = '';

  add(headers: Headers): void {
    this.#httpStatus ??= headers.get(':status');
    this.#code = headers.get('grpc-status') ?? this.#code;
    this.#message = headers.get('grpc-message') ?? this.#message;
  }

  /** Undefined: the call succeeded. */
  error(): EtcdCallError | undefined {
    if (this.#code === '0') return undefined;
    if (this.#code !== undefined)
      return new EtcdCallError(Number(this.#code), percentDecode(this.#message), { sent: true });
    const reason =
      this.#httpStatus === undefined || this.#httpStatus === '200'
        ? 'the answer was cut off'
        : `HTTP status ${this.#httpStatus}`;
    return new EtcdCallError(grpcStatus.unavailable, reason, { sent: true });
  }
}

function brokenCall({ message, sent, cause, notUnderstood }: BrokenStream): EtcdCallError {
  return new EtcdCallError(grpcStatus.unavailable, `the call broke: ${message}`, { sent, cause, notUnderstood });
}

function frame(message: Uint8Array): Buffer {
  const framed = Buffer.allocUnsafe(messageHeaderBytes + message.length);
  framed[0] = 0;
  framed.writeUInt32BE(message.length, 1);
  framed.set(message, messageHeaderBytes);
  return framed;
}

function percentDecode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // Not percent-encoded, against the gRPC specification: the text is shown unchanged.
    return text;
  }
}
