import type { Http2SecureServer, Http2ServerRequest, ServerHttp2Session } from 'node:http2';
import type { AddressInfo, Socket } from 'node:net';
import Fastify, { type FastifyBaseLogger } from 'fastify';
import { requestEntityTooLarge, badRequest } from '../apimachinery/status-error.ts';
import { unknownFormat } from './decode-body.ts';
import type { RawRequest, RawResponse } from './request-context.ts';

/** Certificate and key of the secure port, PEM. */
export interface TlsMaterial {
  readonly cert: string | Buffer;
  readonly key: string | Buffer;
}

export interface HttpListenerOptions {
  readonly tls: TlsMaterial;
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  readonly bodyBytesMax: number;
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
const HEADERS_MS = 30_000;
/** Requests with a body must have sent it by then; watches are answers and have no such bound. */
const BODY_MS = 60_000;

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
      https: { allowHTTP1: true, ...options.tls, minVersion: 'TLSv1.2' },
      bodyLimit: options.bodyBytesMax,
      logger: false as unknown as FastifyBaseLogger,
      disableRequestLogging: true,
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
    const server = app.server as unknown as Http2SecureServer & { headersTimeout: number; requestTimeout: number };
    server.headersTimeout = HEADERS_MS;
    server.requestTimeout = BODY_MS;
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

  private pass(request: Incoming, reply: Outgoing, refusal: Error | undefined): void {
    reply.hijack();
    const body = Buffer.isBuffer(request.body) ? request.body : noBody;
    void this.options.handle(request.raw as RawRequest, reply.raw as RawResponse, body, refusal);
  }

  private refuse(request: Incoming, reply: Outgoing, error: Error & { statusCode?: number }): void {
    this.pass(request, reply, this.refusalFor(error.statusCode));
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
