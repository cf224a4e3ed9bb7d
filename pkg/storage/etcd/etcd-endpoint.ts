/**
 * One HTTP/2 connection to one etcd member. Connects when first needed and again after a loss; a connection that stops answering pings is
 * given up, since a broken network tells nobody.
 */
import { connect, constants } from 'node:http2';
import type { ClientHttp2Session, ClientHttp2Stream } from 'node:http2';
import { EtcdCallError, grpcStatus } from './etcd-call-error.ts';

const dialTimeoutMs = 2000;
const pingIntervalMs = 10_000;
const pingTimeoutMs = 5000;
/** HTTP/2 starts with windows of 64 KiB, which makes a page of values wait for many updates. */
const windowBytes = 8 * 1024 * 1024;
/** Node refuses new streams above this much memory, 10 by default: fewer than the large writes that may be in flight. */
const sessionMegabytesMax = 1024;
const frameHeaderBytes = 5;

/** Contents of TLS files, PEM. */
export interface TlsMaterial {
  readonly ca?: Buffer;
  readonly cert?: Buffer;
  readonly key?: Buffer;
}

export class EtcdEndpoint {
  readonly url: string;
  readonly #tls: TlsMaterial;
  #session: Promise<ClientHttp2Session> | undefined;
  #closed = false;

  constructor(url: string, tls: TlsMaterial) {
    this.url = url;
    this.#tls = tls;
  }

  /** One unary call: resolves with the answer's message, rejects with `EtcdCallError`. */
  async call(path: string, message: Uint8Array, timeoutMs: number): Promise<Uint8Array> {
    const session = await this.#connected();
    return exchange(session, path, message, timeoutMs);
  }

  close(): void {
    this.#closed = true;
    this.#session?.then((session) => session.destroy(), () => undefined);
    this.#session = undefined;
  }

  #connected(): Promise<ClientHttp2Session> {
    if (this.#closed) return Promise.reject(notSent('the connection is closed'));
    if (this.#session === undefined) {
      const session = this.#dial();
      this.#session = session;
      const forget = () => {
        if (this.#session === session) this.#session = undefined;
      };
      session.then((open) => {
        open.once('goaway', forget);
        open.once('close', forget);
        if (open.destroyed || this.#closed) forget();
        if (this.#closed) open.destroy();
      }, forget);
    }
    return this.#session;
  }

  #dial(): Promise<ClientHttp2Session> {
    return new Promise((resolve, reject) => {
      const settings = { initialWindowSize: windowBytes, enablePush: false };
      const session = connect(this.url, { ...this.#tls, settings, maxSessionMemory: sessionMegabytesMax });
      const timer = setTimeout(() => session.destroy(new Error(`no connection within ${dialTimeoutMs} ms`)), dialTimeoutMs);
      session.once('connect', () => {
        clearTimeout(timer);
        session.setLocalWindowSize(windowBytes);
        session.unref();
        keepAlive(session);
        resolve(session);
      });
      // The listener stays: an error of an open session reaches its streams, and has to be listened to here as well.
      session.on('error', (cause) => {
        clearTimeout(timer);
        reject(notSent(`cannot connect to ${this.url}: ${cause.message}`, cause));
      });
      session.once('close', () => {
        clearTimeout(timer);
        reject(notSent(`cannot connect to ${this.url}`));
      });
    });
  }
}

function keepAlive(session: ClientHttp2Session): void {
  let timeout: NodeJS.Timeout | undefined;
  const interval = setInterval(() => {
    // Destroyed sessions throw on a ping, and emit their close only when their socket is gone.
    if (session.destroyed) return clearInterval(interval);
    timeout = setTimeout(() => session.destroy(new Error('no answer to a ping')), pingTimeoutMs).unref();
    const sent = session.ping((error) => {
      if (error === null) clearTimeout(timeout);
    });
    if (!sent) clearTimeout(timeout);
  }, pingIntervalMs).unref();
  session.once('close', () => {
    clearInterval(interval);
    clearTimeout(timeout);
  });
}

/** Sends one message in a gRPC frame and collects the one that comes back (grpc.io, "gRPC over HTTP2"). */
function exchange(session: ClientHttp2Session, path: string, message: Uint8Array, timeoutMs: number): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    let stream: ClientHttp2Stream;
    try {
      stream = session.request({
        ':method': 'POST',
        ':path': path,
        'content-type': 'application/grpc',
        te: 'trailers',
        'grpc-timeout': `${Math.ceil(timeoutMs)}m`,
      });
    } catch (cause) {
      reject(notSent('the connection is gone', cause));
      return;
    }
    const answer = new Answer();
    let settled = false;
    const fail = (error: EtcdCallError) => {
      settled = true;
      clearTimeout(timer);
      reject(error);
    };
    const timer = setTimeout(() => {
      fail(new EtcdCallError(grpcStatus.deadlineExceeded, `no answer within ${Math.round(timeoutMs)} ms`, { sent: !stream.pending }));
      stream.close(constants.NGHTTP2_CANCEL);
    }, timeoutMs);
    stream.on('response', (headers) => answer.setHeaders(headers));
    stream.on('trailers', (headers) => answer.setHeaders(headers));
    stream.on('data', (chunk: Buffer) => answer.chunks.push(chunk));
    stream.on('error', (cause) => {
      // A stream that waits for its turn has sent nothing, and a server refuses one before it looks at it. Of any other end nobody knows.
      const sent = !stream.pending && stream.rstCode !== constants.NGHTTP2_REFUSED_STREAM;
      if (!settled) fail(new EtcdCallError(grpcStatus.unavailable, `the call broke: ${cause.message}`, { sent, cause }));
    });
    stream.on('close', () => {
      if (settled) return;
      const outcome = answer.outcome(!stream.pending);
      if (outcome instanceof EtcdCallError) fail(outcome);
      else {
        clearTimeout(timer);
        resolve(outcome);
      }
    });
    stream.end(frame(message));
  });
}

class Answer {
  readonly chunks: Buffer[] = [];
  #httpStatus: number | undefined;
  #grpcStatus: string | undefined;
  #grpcMessage = '';

  setHeaders(headers: Record<string, unknown>): void {
    if (headers[':status'] !== undefined) this.#httpStatus = Number(headers[':status']);
    if (headers['grpc-status'] !== undefined) this.#grpcStatus = String(headers['grpc-status']);
    if (headers['grpc-message'] !== undefined) this.#grpcMessage = percentDecode(String(headers['grpc-message']));
  }

  /** The message, or why there is none. `sent`: the server may have seen the call. */
  outcome(sent: boolean): Uint8Array | EtcdCallError {
    if (this.#grpcStatus === undefined) {
      const reason = this.#httpStatus === undefined || this.#httpStatus === 200 ? 'the answer was cut off' : `HTTP status ${this.#httpStatus}`;
      return new EtcdCallError(grpcStatus.unavailable, reason, { sent });
    }
    if (this.#grpcStatus !== '0') return new EtcdCallError(Number(this.#grpcStatus), this.#grpcMessage, { sent: true });
    const body = this.chunks.length === 1 ? this.chunks[0]! : Buffer.concat(this.chunks);
    if (body.length < frameHeaderBytes || body[0] !== 0 || body.readUInt32BE(1) !== body.length - frameHeaderBytes) {
      return new EtcdCallError(grpcStatus.unknown, 'the answer is no single uncompressed message', { sent: true });
    }
    return body.subarray(frameHeaderBytes);
  }
}

function frame(message: Uint8Array): Buffer {
  const framed = Buffer.allocUnsafe(frameHeaderBytes + message.length);
  framed[0] = 0;
  framed.writeUInt32BE(message.length, 1);
  framed.set(message, frameHeaderBytes);
  return framed;
}

function percentDecode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function notSent(message: string, cause?: unknown): EtcdCallError {
  return new EtcdCallError(grpcStatus.unavailable, message, { sent: false, cause });
}
