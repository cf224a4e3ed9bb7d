import type { Http2SecureServer, Http2ServerRequest, Http2ServerResponse } from 'node:http2';
import { type AddressInfo, Server, type Socket } from 'node:net';
import type { TlsOptions } from 'node:tls';
import Fastify, { type FastifyBaseLogger } from 'fastify';
import { hasBody, UnreadBody } from './bodies/unread-body.ts';
import { acceptUpgrades } from './connections/accept-upgrades.ts';
import { bodyIsStreamed } from './connections/streamed-body.ts';
import { PLAIN_HTTP, answerPlainHttp } from './listener/answer-plain-http.ts';
import { anyAddress } from './listener/any-address.ts';
import { endIdleSession } from './listener/end-idle-session.ts';
import { guardSession } from './listener/guard-session.ts';
import { holdBackRecords } from './listener/hold-back-records.ts';
import { boundBody } from './listener/http2-body.ts';
import {
  defaultTimeouts,
  HEADER_BYTES_MAX,
  HTTP2_HEADERS_MAX,
  SESSION_MEGABYTES_MAX,
  STREAMS_MAX,
  type Timeouts,
} from './listener/listener-limits.ts';
import { namesOneHost } from './listener/one-host.ts';
import { OpenConnections } from './listener/open-connections.ts';
import { refuseConnection } from './listener/refuse-connection.ts';
import { limitUnauthenticatedSessions, unauthenticatedStreamsMax } from './listener/unauthenticated-streams.ts';
import { exemptFromTimeout } from './listener/exempt-from-timeout.ts';
import { unreadable } from './listener/unreadable.ts';
import { goaway } from './listener/goaway.ts';
import type { RawRequest, RawResponse, RequestBody } from './request/request-context.ts';
import type { ListenerTls } from './tls/listener-tls.ts';
import { sendWaiting } from './answers/end-of-turn.ts';

export interface HttpListenerOptions {
  readonly tls: ListenerTls;
  /** `--http2-max-streams-per-connection`; 0 or absent: the default. */
  readonly streamsMax?: number;
  /** Empty: every address of the machine. */
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /** `--goaway-chance`; absent: 0. */
  readonly goawayChance?: number;
  readonly timeouts?: Timeouts;
  /** Called with each connection that ends in its TLS handshake. */
  readonly onHandshakeFailed: () => void;
  /** Called with each request; never rejects. */
  readonly handle: (request: RawRequest, response: RawResponse, body: RequestBody) => Promise<void>;
}

/** The used parts of Fastify's request and reply; their full types differ between HTTP/1.1 and HTTP/2. */
interface Incoming {
  readonly raw: unknown;
}
interface Outgoing {
  readonly raw: unknown;
  hijack(): unknown;
}

/** Silence of a connection before keep-alive probes, milliseconds. */
const KEEP_ALIVE_MS = 30_000;

/**
 * The secure port: HTTP/1.1 and HTTP/2 by ALPN on Fastify. Requests are passed on as soon as their headers are there;
 * nothing of their bodies is read here.
 */
export class HttpListener {
  private readonly options: HttpListenerOptions;
  private readonly timeouts: Timeouts;
  private readonly app;
  private readonly connections: OpenConnections;
  /** Requests that wait for 100 Continue. */
  private readonly expecting = new WeakSet<RawRequest>();
  private stopAnnounced = false;

  constructor(options: HttpListenerOptions) {
    this.options = options;
    this.timeouts = options.timeouts ?? defaultTimeouts;
    const { handshakeMs, headersMs, idleMs } = this.timeouts;
    const streamsMax = options.streamsMax || STREAMS_MAX;
    this.app = Fastify({
      http2: true,
      https: {
        // Not the default of this kind of server: without it a small write waits up to 40 ms for the client's
        // acknowledgement of the one before.
        noDelay: true,
        // Ends quiet watches of clients that disappeared.
        keepAlive: true,
        keepAliveInitialDelay: KEEP_ALIVE_MS,
        allowHTTP1: true,
        ...tlsSettings(options.tls),
        handshakeTimeout: handshakeMs,
        maxSessionMemory: SESSION_MEGABYTES_MAX,
        settings: { maxConcurrentStreams: unauthenticatedStreamsMax(streamsMax), maxHeaderListSize: HEADER_BYTES_MAX },
        maxHeaderListPairs: HTTP2_HEADERS_MAX,
      },
      // Would end quiet sessions, also those with watches.
      http2SessionTimeout: 0,
      clientErrorHandler: (error, socket) => refuseConnection(error, socket as Socket),
      logger: false as unknown as FastifyBaseLogger,
      exposeHeadRoutes: false,
      // No route has a schema: what would compile them takes a tenth of the start.
      schemaController: { compilersFactory: { buildValidator: noSchemas, buildSerializer: noSchemas } },
      routerOptions: { maxParamLength: 65536 },
      // Requests that come while it closes are for the filters to answer.
      forceCloseConnections: 'idle',
      return503OnClosing: false,
      frameworkErrors: (error, request, reply) => this.refuse(request, reply, error),
    });
    this.connections = new OpenConnections(this.server);
    answerPlainHttp(this.server);
    countFailedHandshakes(this.server, options.onHandshakeFailed);
    answerHalfClosed(this.server);
    holdBackRecords(this.server);
    limitUnauthenticatedSessions(this.server, streamsMax);
    this.server.on('session', (session) => {
      endIdleSession(session, { firstStreamMs: headersMs, idleMs });
      guardSession(session);
    });
    const { goawayChance = 0 } = options;
    if (goawayChance > 0) this.server.on('session', (session) => goaway(session, goawayChance));
    options.tls.follow?.((context) => this.server.setSecureContext(context));
    this.configure();
  }

  private get server(): Http2SecureServer {
    return this.app.server as unknown as Http2SecureServer;
  }

  private configure(): void {
    const { app } = this;
    const server = this.server as Http2SecureServer & {
      headersTimeout: number;
      requestTimeout: number;
      keepAliveTimeout: number;
      connectionsCheckingInterval: number;
      maxHeaderSize: number;
      maxHeadersCount: number;
    };
    const { headersMs, requestMs, idleMs, checkMs } = this.timeouts;
    // Of HTTP/1.1: the settings of this kind of server do not include them.
    server.headersTimeout = headersMs;
    server.requestTimeout = requestMs;
    server.keepAliveTimeout = idleMs;
    server.connectionsCheckingInterval = checkMs;
    server.maxHeaderSize = HEADER_BYTES_MAX;
    // The runtime would drop those beyond a thousand without an error.
    server.maxHeadersCount = 0;
    acceptUpgrades(this.server, (request, response, refusal) => this.options.handle(request, response, { refusal }));
    // They get 100 Continue when their body is to be read.
    this.server.on('checkContinue', (request: RawRequest, response: RawResponse) => {
      this.expecting.add(request);
      this.server.emit('request', request as Http2ServerRequest, response as Http2ServerResponse);
    });
    app.addHook('onRequest', (request, reply) => this.pass(request, reply, undefined));
    app.setErrorHandler((error, request, reply) =>
      this.refuse(request, reply, error as Error & { statusCode?: number }),
    );
    app.setNotFoundHandler((request, reply) => this.pass(request, reply, undefined));
    app.all('/*', (request, reply) => this.pass(request, reply, undefined));
  }

  /** Before anything in Fastify reads a body. */
  private pass(request: Incoming, reply: Outgoing, refusal: Error | undefined): void {
    reply.hijack();
    const [raw, response] = [request.raw as RawRequest, reply.raw as RawResponse];
    if (this.stopAnnounced && !('stream' in response)) response.setHeader('connection', 'close');
    const unreadBody = hasBody(raw) ? this.unreadBody(raw, response) : undefined;
    if (namesOneHost(raw)) void this.options.handle(raw, response, { unreadBody, refusal });
    else {
      response.setHeader('connection', 'close');
      void this.options.handle(raw, response, { unreadBody, refusal: unreadable() });
    }
  }

  private unreadBody(request: RawRequest, response: RawResponse): UnreadBody {
    const streamed = bodyIsStreamed(request);
    if (streamed) exemptFromTimeout(request, response);
    else boundBody(request, this.timeouts.requestMs);
    return new UnreadBody(request, response, { streamed, expectsContinue: this.expecting.delete(request) });
  }

  private refuse(request: Incoming, reply: Outgoing, error: Error & { statusCode?: number }): void {
    // Methods unknown to the router are for the dispatcher to refuse.
    this.pass(request, reply, error.statusCode === 404 ? undefined : unreadable());
  }

  /** Begins to listen; returns the port. */
  async listen(): Promise<number> {
    const { host, port } = this.options;
    await this.app.listen({ host: host || (await anyAddress()), port, ipv6Only: false });
    return (this.server.address() as AddressInfo).port;
  }

  get openConnections(): number {
    return this.connections.size;
  }

  /** Asks clients in their next answers to use other connections from then on; until then they are served. */
  announceStop(): void {
    this.stopAnnounced = true;
    this.connections.announceEnd();
  }

  /** Connections that are open stay so. */
  stopListening(): void {
    // Closing this kind of server would end idle connections, even those whose request is about to arrive.
    Server.prototype.close.call(this.server);
  }

  /** Asks HTTP/2 sessions to end when their streams have. */
  endSessions(): void {
    this.connections.endSessions();
  }

  /** Ends connections of HTTP/1.1 without a request in flight. */
  endIdle(): void {
    this.connections.endIdle();
  }

  /** Closes the remaining connections. */
  async close(): Promise<void> {
    this.connections.destroyAll();
    await this.app.close();
  }
}

/** No certificate is refused in the handshake. */
function tlsSettings({ context, requestCert = false, contextFor }: ListenerTls): TlsOptions {
  return {
    ...context,
    requestCert,
    rejectUnauthorized: false,
    ...(contextFor === undefined ? {} : { SNICallback: (name, answer) => answer(null, contextFor(name)) }),
  };
}

/** Over HTTP/1.1 the runtime closes a connection whose client half-closes it; ready answers go out before. */
function answerHalfClosed(server: Http2SecureServer): void {
  server.on('secureConnection', (socket: Socket) => socket.prependListener('end', sendWaiting));
}

/** Counts connections that end in their TLS handshake, except those that use HTTP without TLS: these get an answer. */
function countFailedHandshakes(server: Http2SecureServer, onFailed: () => void): void {
  server.on('tlsClientError', (error: Error & { code?: string }) => {
    if (error.code !== PLAIN_HTTP) onFailed();
  });
}

function noSchemas(): never {
  throw new Error('no route has a schema');
}
