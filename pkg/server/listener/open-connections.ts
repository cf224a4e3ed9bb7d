import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  constants,
  type Http2SecureServer,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type ServerHttp2Session,
} from 'node:http2';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { ANY_STREAM } from './goaway.ts';

/** The connections of a server, and the HTTP/2 sessions on them, so that they can be ended. */
export class OpenConnections {
  /** Before their handshake as well. */
  private readonly accepted = new Set<Socket>();
  private readonly sockets = new Set<TLSSocket>();
  private readonly sessions = new Set<ServerHttp2Session>();
  /** The last answer on each connection of HTTP/1.1: when it is out, so are all before it. */
  private readonly lastAnswer = new WeakMap<Socket, ServerResponse>();
  /** These have switched protocols. */
  private readonly upgraded = new WeakSet<Socket>();
  private announced = false;

  constructor(server: Http2SecureServer) {
    server.on('connection', (socket: Socket) => track(this.accepted, socket));
    server.on('secureConnection', (socket: TLSSocket) => track(this.sockets, socket));
    server.on('session', (session: ServerHttp2Session) => {
      track(this.sessions, session);
      if (this.announced) announceAfterRequest(session);
    });
    server.on(
      'request',
      (request: IncomingMessage | Http2ServerRequest, response: ServerResponse | Http2ServerResponse) => {
        if (!('stream' in response)) this.lastAnswer.set((request as IncomingMessage).socket, response);
      },
    );
    server.on('upgrade', (_request, socket: Socket) => void this.upgraded.add(socket));
  }

  get size(): number {
    return this.sockets.size;
  }

  /**
   * Asks the clients of HTTP/2 to use other connections for their next requests; requests on these are still served.
   */
  announceEnd(): void {
    this.announced = true;
    for (const session of this.sessions) tellToEnd(session);
  }

  /** Asks HTTP/2 sessions to end when their streams have. */
  endSessions(): void {
    for (const session of this.sessions) session.close();
  }

  /** Ends connections of HTTP/1.1 on which every answer is out. */
  endIdle(): void {
    for (const socket of this.sockets) {
      if (socket.writableEnded || socket.alpnProtocol === 'h2' || this.upgraded.has(socket)) continue;
      if (this.lastAnswer.get(socket)?.writableFinished !== false) socket.destroySoon();
    }
  }

  destroyAll(): void {
    for (const session of this.sessions) session.destroy();
    for (const socket of [...this.sockets, ...this.accepted]) socket.destroy();
  }
}

/** A session that ends before it has sent anything would be of no use to its client. */
function announceAfterRequest(session: ServerHttp2Session): void {
  session.once('stream', () => tellToEnd(session));
}

function tellToEnd(session: ServerHttp2Session): void {
  if (!session.destroyed) session.goaway(constants.NGHTTP2_NO_ERROR, ANY_STREAM);
}

function track<T extends { once(event: 'close', listener: () => void): unknown }>(set: Set<T>, connection: T): void {
  set.add(connection);
  connection.once('close', () => set.delete(connection));
}
