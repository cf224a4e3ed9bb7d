import { STATUS_CODES } from 'node:http';
import { constants as http2Constants } from 'node:http2';
import type { Http2SecureServer, Http2ServerRequest, ServerHttp2Session } from 'node:http2';
import type { AddressInfo, Socket } from 'node:net';
import Fastify, { type FastifyBaseLogger } from 'fastify';
import { badRequest, genericServerResponse, requestEntityTooLarge } from '../apimachinery/status-error.ts';
import { unknownFormat } from './decode-body.ts';
import type { RawRequest, RawResponse } from './request-context.ts';

/** Certificate and key of the secure port, PEM. */
export interface TlsMaterial {
  readonly cert: string | Buffer;
  readonly key: string | Buffer;
  /** Clients are asked for a certificate. They may come without one, and nobody verifies it here: that is for authentication, request by request. */
  readonly requestCert?: boolean;
}

/** How long clients may take, milliseconds. */
export interface Timeouts {
  readonly headersMs: number;
  /** A whole request with its body; watches are answers and have no such bound. */
  readonly requestMs: number;
  /** Between two looks at who is late. */
  readonly checkMs: number;
}

export interface HttpListenerOptions {
  readonly tls: TlsMaterial;
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  readonly bodyBytesMax: number;
  readonly timeouts?: Timeouts;
  /** Told each request; never rejects. `refusal` is the answer for a body that could not be read. */
  readonly handle: (request: RawRequest, response: RawResponse, body: Uint8Array, refusal: Error | undefined) => Promise<void>;
}

/** What is used of Fastify's request and reply; their full types differ between HTTP/1.1 and HTTP/2. */
interface Incoming {
  readonly raw: unknown;
  readonly body: unknown;
}
interface Outgoing {
  readonly raw: unknown;
  hijack(): unknown;
}

const noBody = new Uint8Array(0);
/** Longer than load balancers keep idle connections, so that they, not we, close them. */
const KEEP_ALIVE_MS = 3 * 60_000;
const defaultTimeouts: Timeouts = { headersMs: 30_000, requestMs: 60_000, checkMs: 5000 };
const HANDSHAKE_MS = 10_000;
/** Request line and headers. Holds the longest selectors that are read, percent-encoded. */
const HEADER_BYTES_MAX = 256 * 1024;
/** Streams at a time of one HTTP/2 connection: a client's watches share one. */
const STREAMS_MAX = 1000;
/** Memory of one HTTP/2 connection, megabytes; beyond it new streams are refused. A slice of an answer waits in each stream. */
const SESSION_MEGABYTES_MAX = 64;
/** Time for an answer to get out on a connection that is given up. */
const GOODBYE_MS = 500;
const bodyMethods: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);

/** The secure port: HTTP/1.1 and HTTP/2 by ALPN on Fastify, bodies read and bounded, nothing else decided here. */
export class HttpListener {
  private readonly options: HttpListenerOptions;
  private readonly app;
  private readonly sockets = new Set<Socket>();
  private readonly sessions = new Set<ServerHttp2Session>();

  constructor(options: HttpListenerOptions) {
    this.options = options;
    this.app = Fastify({
      http2: true,
      https: {
        // Not the default of this kind of server: without it a small write waits up to 40 ms for the client's acknowledgement of the one before.
        noDelay: true,
        allowHTTP1: true, ...options.tls, rejectUnauthorized: false, minVersion: 'TLSv1.2', handshakeTimeout: HANDSHAKE_MS,
        maxSessionMemory: SESSION_MEGABYTES_MAX, settings: { maxConcurrentStreams: STREAMS_MAX, maxHeaderListSize: HEADER_BYTES_MAX },
      },
      http2SessionTimeout: KEEP_ALIVE_MS,
      clientErrorHandler: (error, socket) => refuseConnection(error, socket as Socket),
      bodyLimit: options.bodyBytesMax,
      logger: false as unknown as FastifyBaseLogger,
      exposeHeadRoutes: false,
      keepAliveTimeout: KEEP_ALIVE_MS,
      routerOptions: { maxParamLength: 65536 },
      forceCloseConnections: true,
      frameworkErrors: (error, request, reply) => this.refuse(request, reply, error),
    });
    this.configure();
  }

  private configure(): void {
    const { app } = this;
    const server = app.server as unknown as Http2SecureServer & { headersTimeout: number; requestTimeout: number; connectionsCheckingInterval: number; maxHeaderSize: number };
    const { headersMs, requestMs, checkMs } = this.options.timeouts ?? defaultTimeouts;
    server.headersTimeout = headersMs;
    server.requestTimeout = requestMs;
    server.connectionsCheckingInterval = checkMs;
    server.maxHeaderSize = HEADER_BYTES_MAX;
    app.addHook('onRequest', (request, _reply, done) => {
      this.boundBody(request.raw as unknown as RawRequest, requestMs);
      done();
    });
    app.addHook('onRequest', (request, _reply, done) => {
      if (bodyUnannounced(request.raw as unknown as RawRequest)) request.headers = { 'transfer-encoding': 'chunked' };
      done();
    });
    app.removeAllContentTypeParsers();
    app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
    app.setErrorHandler((error, request, reply) => this.refuse(request, reply, error as Error & { statusCode?: number }));
    app.setNotFoundHandler((request, reply) => this.pass(request, reply, undefined));
    app.all('/*', (request, reply) => this.pass(request, reply, undefined));
    server.on('secureConnection', (socket: Socket) => this.track(this.sockets, socket));
    server.on('session', (session: ServerHttp2Session) => this.track(this.sessions, session));
  }

  private track<T extends { once(event: 'close', listener: () => void): unknown }>(set: Set<T>, connection: T): void {
    set.add(connection);
    connection.once('close', () => set.delete(connection));
  }

  /** HTTP/1.1 has its timeouts in node; a stream of HTTP/2 is reset when its body does not come. */
  private boundBody(request: RawRequest, requestMs: number): void {
    if (!('stream' in request) || request.stream.endAfterHeaders || !bodyMethods.has(request.method)) return;
    const timer = setTimeout(() => request.stream.close(http2Constants.NGHTTP2_CANCEL), requestMs);
    const stop = (): void => clearTimeout(timer);
    request.once('end', stop);
    request.once('close', stop);
  }

  private pass(request: Incoming, reply: Outgoing, refusal: Error | undefined): void {
    reply.hijack();
    const body = Buffer.isBuffer(request.body) ? request.body : noBody;
    void this.options.handle(request.raw as RawRequest, reply.raw as RawResponse, body, refusal);
  }

  private refuse(request: Incoming, reply: Outgoing, error: Error & { statusCode?: number }): void {
    // Methods unknown to the router are for the dispatcher to refuse.
    this.pass(request, reply, error.statusCode === 404 ? undefined : this.refusalFor(error.statusCode));
  }

  private refusalFor(statusCode: number | undefined): Error {
    if (statusCode === 413) return requestEntityTooLarge(`limit is ${this.options.bodyBytesMax}`);
    return statusCode === 415 ? unknownFormat() : badRequest('the request could not be read');
  }

  /** Begins to listen; returns the port. */
  async listen(): Promise<number> {
    await this.app.listen({ host: this.options.host, port: this.options.port });
    return (this.app.server.address() as AddressInfo).port;
  }

  get openConnections(): number {
    return this.sockets.size;
  }

  /** Stops listening; connections get `graceMs` to finish what they are at. */
  async close(graceMs: number): Promise<void> {
    const timer = setTimeout(() => {
      for (const session of this.sessions) session.destroy();
      for (const socket of this.sockets) socket.destroy();
    }, graceMs);
    for (const session of this.sessions) session.close();
    await this.app.close();
    clearTimeout(timer);
  }
}

/**
 * An HTTP/2 request with a body whose type and length it does not tell, as `kubectl create --raw` sends: Fastify would take it for one without a
 * body. HTTP/1.1 has a header for it.
 */
function bodyUnannounced(request: RawRequest): boolean {
  const { headers } = request;
  return request.httpVersionMajor === 2 && headers['content-type'] === undefined && headers['content-length'] === undefined
    && (request as Http2ServerRequest).stream.endAfterHeaders === false;
}

const connectionErrors = new Map<string, readonly [code: number, message: string]>([
  ['HPE_HEADER_OVERFLOW', [431, `the request line and headers are too large: limit is ${HEADER_BYTES_MAX}`]],
  ['HPE_CHUNK_EXTENSIONS_OVERFLOW', [413, 'the chunk extensions of the request are too large']],
  ['ERR_HTTP_REQUEST_TIMEOUT', [408, 'the request did not arrive in time']],
]);

/** What is no request at all is answered below the filters, and the connection closed. */
function refuseConnection(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const [code, message] = connectionErrors.get(error.code ?? '') ?? [400, 'the request could not be read'];
  const body = JSON.stringify(genericServerResponse(code, message).status);
  // What still comes is dropped: closing at once would reset the connection before the answer is read.
  socket.removeAllListeners('data');
  socket.resume();
  socket.end(`HTTP/1.1 ${code} ${STATUS_CODES[code]}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`);
  setTimeout(() => socket.destroy(), GOODBYE_MS).unref();
}
