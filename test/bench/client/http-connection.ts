import { connect, type ConnectionOptions, type TLSSocket } from 'node:tls';
import { ChunkedBody, SizedBody, type BodyScanner } from './body-scanner.ts';

/** A server to talk to. */
export interface Endpoint {
  readonly url: string;
  readonly token: string;
  /** Authority of its certificate, PEM; without one the certificate is not verified. */
  readonly ca: string | undefined;
}

export interface Answer {
  readonly status: number;
  /** Length of the body without framing. */
  readonly bytes: number;
  /** Only when asked for, and of every answer that is an error. */
  readonly body: string | undefined;
}

interface Pending {
  readonly keepBody: boolean;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: Error) => void;
  /** For a stream: takes all that follows the head, chunk framing included. */
  readonly onStream: ((piece: Buffer, start: number, end: number) => void) | undefined;
}

const CONNECT_TIMEOUT_MS = 30_000;
const HEAD_BYTES_MAX = 16 * 1024;
const READ_BYTES = 64 * 1024;
/** All connections read into one buffer: a callback is done with it before the next begins. */
const readBuffer = Buffer.allocUnsafe(READ_BYTES);

/**
 * One keep-alive HTTP/1.1 connection over TLS, one request at a time, on bare sockets: Node's own client costs as much
 * per request as a fast server, and on a small machine would be what is measured. Bodies are counted, not parsed.
 */
export class HttpConnection {
  private readonly socket: TLSSocket;
  private readonly headLines: string;
  private pending: Pending | undefined;
  private head = '';
  private status = 0;
  private body: BodyScanner | undefined;
  private kept: Buffer[] = [];
  private streaming: Pending['onStream'];
  private failure: Error | undefined;
  /** Called when a stream's connection ends before `close`. */
  onLost: ((error: Error) => void) | undefined;

  private constructor(endpoint: Endpoint) {
    const { hostname, port, host } = new URL(endpoint.url);
    this.headLines = ` HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${endpoint.token}\r\n`;
    const options: ConnectionOptions & { onread: object } = {
      host: hostname,
      port: Number(port || 443),
      ALPNProtocols: ['http/1.1'],
      ...(endpoint.ca === undefined ? { rejectUnauthorized: false } : { ca: endpoint.ca }),
      onread: { buffer: readBuffer, callback: (bytes: number) => this.read(bytes) },
    };
    this.socket = connect(options);
    this.socket.setNoDelay(true);
    this.socket.on('error', (error) => this.fail(error));
    this.socket.on('close', () => this.fail(new Error('the server closed the connection')));
  }

  /** Resolves after the TLS handshake. */
  static open(endpoint: Endpoint): Promise<HttpConnection> {
    const connection = new HttpConnection(endpoint);
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => connection.fail(new Error('no TLS handshake in time')), CONNECT_TIMEOUT_MS);
      connection.pending = { keepBody: false, resolve: () => undefined, reject, onStream: undefined };
      connection.socket.once('secureConnect', () => {
        connection.pending = undefined;
        resolve(connection);
      });
      connection.socket.once('close', () => clearTimeout(timer));
      connection.socket.once('secureConnect', () => clearTimeout(timer));
    });
  }

  /** Sends a request. Bodies are texts of one byte per character. */
  request(method: string, path: string, headers = '', body = '', keepBody = false): Promise<Answer> {
    return new Promise((resolve, reject) =>
      this.send(method, path, headers, body, { keepBody, resolve, reject, onStream: undefined }),
    );
  }

  /** Sends a GET whose answer goes on until the connection is closed; resolves with the head. */
  stream(path: string, onStream: NonNullable<Pending['onStream']>): Promise<Answer> {
    return new Promise((resolve, reject) =>
      this.send('GET', path, '', '', { keepBody: false, resolve, reject, onStream }),
    );
  }

  private send(method: string, path: string, headers: string, body: string, pending: Pending): void {
    if (this.failure !== undefined) return pending.reject(this.failure);
    if (this.pending !== undefined || this.streaming !== undefined) throw new Error('one request at a time');
    this.pending = pending;
    const length = body === '' ? '' : `Content-Length: ${body.length}\r\n`;
    this.socket.write(`${method} ${path}${this.headLines}${headers}${length}\r\n${body}`, 'latin1');
  }

  private read(bytes: number): boolean {
    try {
      if (this.streaming !== undefined) this.streaming(readBuffer, 0, bytes);
      else if (this.body === undefined) this.readHead(bytes);
      else this.readBody(0, bytes);
    } catch (error) {
      this.fail(error as Error);
    }
    return true;
  }

  private readHead(bytes: number): void {
    const before = this.head.length;
    this.head += readBuffer.toString('latin1', 0, Math.min(bytes, HEAD_BYTES_MAX));
    const end = this.head.indexOf('\r\n\r\n');
    if (end < 0) {
      if (this.head.length >= HEAD_BYTES_MAX) throw new Error('an endless response head');
      return;
    }
    const head = this.head.slice(0, end + 2).toLowerCase();
    this.head = '';
    this.status = Number(head.slice(9, 12));
    const length = /\r\ncontent-length: *(\d+)\r\n/.exec(head);
    this.body = length === null ? new ChunkedBody() : new SizedBody(Number(length[1]));
    const start = end + 4 - before;
    if (this.pending?.onStream !== undefined && this.status === 200) {
      this.streaming = this.pending.onStream;
      this.settle();
      if (start < bytes) this.streaming(readBuffer, start, bytes);
      return;
    }
    this.readBody(start, bytes);
  }

  private readBody(start: number, end: number): void {
    const isKept = this.pending?.keepBody === true || this.status >= 400;
    const done = this.body!.scan(
      readBuffer,
      start,
      end,
      isKept ? (span) => this.kept.push(Buffer.from(span)) : undefined,
    );
    if (done) this.settle();
  }

  private settle(): void {
    const { pending, body, kept } = this;
    this.pending = undefined;
    this.body = undefined;
    this.kept = [];
    pending?.resolve({
      status: this.status,
      bytes: body?.bytes ?? 0,
      body: kept.length === 0 ? undefined : Buffer.concat(kept).toString('latin1'),
    });
  }

  private fail(error: Error): void {
    if (this.failure !== undefined) return;
    this.failure = error;
    this.pending?.reject(error);
    this.pending = undefined;
    if (this.streaming !== undefined) this.onLost?.(error);
    this.socket.destroy();
  }

  close(): void {
    this.onLost = undefined;
    this.fail(new Error('closed by the client'));
  }
}
