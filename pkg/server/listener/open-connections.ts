import type { Http2SecureServer, ServerHttp2Session } from 'node:http2';
import type { Socket } from 'node:net';

/** The connections of a server, and the HTTP/2 sessions on them, so that they can be ended. */
export class OpenConnections {
  private readonly sockets = new Set<Socket>();
  private readonly sessions = new Set<ServerHttp2Session>();

  constructor(server: Http2SecureServer) {
    server.on('secureConnection', (socket: Socket) => this.track(this.sockets, socket));
    server.on('session', (session: ServerHttp2Session) => this.track(this.sessions, session));
  }

  get size(): number {
    return this.sockets.size;
  }

  /** Asks HTTP/2 sessions to end when their streams have. */
  endSessions(): void {
    for (const session of this.sessions) session.close();
  }

  destroyAll(): void {
    for (const session of this.sessions) session.destroy();
    for (const socket of this.sockets) socket.destroy();
  }

  private track<T extends { once(event: 'close', listener: () => void): unknown }>(set: Set<T>, connection: T): void {
    set.add(connection);
    connection.once('close', () => set.delete(connection));
  }
}
