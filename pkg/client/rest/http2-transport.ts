import http2, { type ClientHttp2Session, type ClientHttp2Stream } from 'node:http2';
import { type HttpAnswer, type HttpRequest, type HttpTransport, StaleConnectionError } from './http-transport.ts';
import { type Endpoint, KEEP_ALIVE_MS, openSocket } from './open-socket.ts';

/** Streams of one connection, where the server allows more. */
const STREAMS_MAX = 100;
/** How long the answer to a ping may take. */
const PING_TIMEOUT_MS = 15_000;
/** What the server may send ahead of what has been read: on a stream, and on a connection. */
const STREAM_WINDOW_BYTES = 1 << 20;
const CONNECTION_WINDOW_BYTES = 16 << 20;

/** HTTP/2: requests share a connection; another is opened where the first has no streams left. */
export class Http2Transport implements HttpTransport {
  private readonly endpoint: Endpoint;
  private readonly connections = new Set<Connection>();
  private opening: Promise<void> | undefined;
  private closed = false;

  constructor(endpoint: Endpoint) {
    this.endpoint = endpoint;
  }

  async send(request: HttpRequest): Promise<HttpAnswer> {
    for (;;) {
      for (const connection of this.connections) if (connection.hasRoom) return connection.send(request);
      this.opening ??= this.open().finally(() => (this.opening = undefined));
      await this.opening;
      request.signal.throwIfAborted();
    }
  }

  close(): void {
    this.closed = true;
    for (const connection of this.connections) connection.close();
  }

  private async open(): Promise<void> {
    if (this.closed) throw new Error('the client is closed');
    const socket = await openSocket(this.endpoint, 'h2');
    if (this.closed) {
      socket.destroy();
      throw new Error('the client is closed');
    }
    const session = http2.connect(this.endpoint.server, {
      createConnection: () => socket,
      settings: { initialWindowSize: STREAM_WINDOW_BYTES, enablePush: false },
    });
    const connection = new Connection(session, this.endpoint.server, () => this.connections.delete(connection));
    this.connections.add(connection);
  }
}

class Connection {
  private readonly session: ClientHttp2Session;
  private readonly server: URL;
  private readonly pings: NodeJS.Timeout;
  private streams = 0;
  /** It accepts no more requests: closed, or the server sent GOAWAY. */
  private isLeaving = false;

  constructor(session: ClientHttp2Session, server: URL, left: () => void) {
    this.session = session;
    this.server = server;
    this.pings = setInterval(() => this.ping(), KEEP_ALIVE_MS).unref();
    const leave = (): void => {
      this.isLeaving = true;
      left();
    };
    session.once('connect', () => session.setLocalWindowSize(CONNECTION_WINDOW_BYTES));
    session.once('goaway', leave);
    // Its streams fail too, and say so to those who wait for them.
    session.on('error', leave);
    session.once('close', () => {
      clearInterval(this.pings);
      leave();
    });
    session.unref();
  }

  get hasRoom(): boolean {
    const allowed = this.session.remoteSettings?.maxConcurrentStreams ?? STREAMS_MAX;
    return !this.isLeaving && !this.session.destroyed && this.streams < Math.min(allowed, STREAMS_MAX);
  }

  send({ method, path, headers, body, beforeSend, signal }: HttpRequest): Promise<HttpAnswer> {
    return new Promise((resolve, reject) => {
      beforeSend?.();
      const stream: ClientHttp2Stream = this.session.request(
        { ':method': method, ':path': path, ':authority': this.server.host, ...headers } as http2.OutgoingHttpHeaders,
        { endStream: body === undefined },
      );
      if (this.streams++ === 0) this.session.ref();
      const abort = (): void => void stream.destroy(signal.reason as Error);
      signal.addEventListener('abort', abort);
      let answered = false;
      stream.once('response', (found) => {
        answered = true;
        resolve({ status: found[':status'] ?? 0, headers: found, body: stream });
      });
      // Stays: an answer that breaks off is reported to its reader.
      stream.on('error', (error) => {
        const refused = stream.rstCode === http2.constants.NGHTTP2_REFUSED_STREAM || this.isLeaving;
        reject(refused && !signal.aborted ? new StaleConnectionError({ cause: error }) : error);
      });
      stream.once('close', () => {
        signal.removeEventListener('abort', abort);
        if (--this.streams === 0) this.session.unref();
        if (!answered) reject(new StaleConnectionError());
      });
      if (body !== undefined) stream.end(body);
    });
  }

  close(): void {
    this.session.destroy();
  }

  /** A connection that died without a word would hold its watches for ever. */
  private ping(): void {
    if (this.session.destroyed) return;
    const timer = setTimeout(() => this.session.destroy(new Error('no answer to a ping')), PING_TIMEOUT_MS).unref();
    this.session.ping(() => clearTimeout(timer));
  }
}
