/** One etcd member: a connection that is made when first needed, and again after a loss. */
import { EtcdCallError, grpcStatus } from './etcd-call-error.ts';
import type { GrpcCallCounts } from './grpc-call-counts.ts';
import { callUnary, methodHeaders, StreamingCall } from './grpc-call.ts';
import type { AnswerListener } from './grpc-call.ts';
import { encodeHeader } from './header-block.ts';
import { dialTimeoutMsMin, Http2Connection } from './http2-connection.ts';
import type { TlsMaterial } from './dial-member.ts';

const dialTimeoutMsMax = 8000;

export class EtcdEndpoint {
  readonly #url: URL;
  readonly #tls: TlsMaterial;
  readonly #counts: GrpcCallCounts | undefined;
  readonly #headers = new Map<string, Buffer>();
  #connection: Http2Connection | undefined;
  /** A member that is slow, not gone, gets twice the time with each attempt. */
  #dialTimeoutMs = dialTimeoutMsMin;
  #closed = false;

  constructor(url: string, tls: TlsMaterial, counts?: GrpcCallCounts) {
    this.#url = new URL(url);
    this.#counts = counts;
    this.#tls = tls;
  }

  /** `https://host:port`. */
  get server(): string {
    return this.#url.origin;
  }

  /** Resolves with the answer's message, a view into what was received; rejects with `EtcdCallError`. */
  call(path: string, message: Uint8Array, timeoutMs: number): Promise<Buffer> {
    if (this.#closed)
      return Promise.reject(new EtcdCallError(grpcStatus.unavailable, 'the connection is closed', { sent: false }));
    return callUnary(this.#connected(), this.#headersOf(path), message, timeoutMs, this.#counts?.of(path, 'unary'));
  }

  /**
   * Sends a message and gets answers until either side ends. A member without a leader ends the call; it does not just
   * stay silent.
   */
  stream(path: string, message: Uint8Array, listener: AnswerListener): StreamingCall {
    return new StreamingCall(
      this.#connected(),
      Buffer.concat([this.#headersOf(path), encodeHeader('hasleader', 'true')]),
      message,
      listener,
      this.#counts?.of(path, 'bidi_stream'),
    );
  }

  close(): void {
    this.#closed = true;
    this.#connection?.close();
    this.#connection = undefined;
  }

  #connected(): Http2Connection {
    if (this.#connection?.isUsable !== true) {
      this.#dialTimeoutMs =
        this.#connection?.isTooSlow === true ? Math.min(2 * this.#dialTimeoutMs, dialTimeoutMsMax) : dialTimeoutMsMin;
      this.#connection = new Http2Connection(this.#url, this.#tls, this.#dialTimeoutMs);
      if (this.#closed) this.#connection.close();
    }
    return this.#connection;
  }

  #headersOf(path: string): Buffer {
    let headers = this.#headers.get(path);
    if (headers === undefined) this.#headers.set(path, (headers = methodHeaders(this.#url, path)));
    return headers;
  }
}
