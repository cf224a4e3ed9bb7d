import { createServer, type Server } from 'node:http';
import http2 from 'node:http2';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { HttpExchange } from './request/http-exchange.ts';
import { RequestContext, type RawRequest, type RawResponse } from './request/request-context.ts';
import { parseRequestInfo } from './request/request-info.ts';

/** For tests: plain servers on 127.0.0.1 that answer every request by a function, one of HTTP/1.1 and one of HTTP/2. */

type Answer = (request: RawRequest, response: RawResponse) => void;

export interface Loopback {
  readonly port: number;
  close(): Promise<void>;
}

export async function serveHttp1(answer: Answer): Promise<Loopback> {
  const server = createServer((request, response) => answer(request, response));
  return listening(server, () => server.closeAllConnections());
}

export async function serveHttp2(answer: Answer): Promise<Loopback> {
  const sessions = new Set<http2.ServerHttp2Session>();
  const server = http2.createServer((request, response) => answer(request, response));
  server.on('session', (session) => sessions.add(session));
  return listening(server, () => sessions.forEach((session) => session.destroy()));
}

async function listening(server: Server | http2.Http2Server, disconnect: () => void): Promise<Loopback> {
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        disconnect();
      }),
  };
}

export function contextFor(request: RawRequest, response: RawResponse): RequestContext {
  const info = parseRequestInfo(request.method ?? 'GET', request.url ?? '/', false);
  return new RequestContext(new HttpExchange(request, response), info, '', {}, 'the-audit-id', 0);
}

/**
 * Everything that comes back for a text on a separate connection, until the server closes it or `enough` returns true.
 */
export function exchange(
  port: number,
  text: string,
  enough: (received: string) => boolean = () => false,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket: Socket = connect(port, '127.0.0.1', () => void socket.write(text));
    let received = '';
    socket.on('data', (bytes) => {
      received += bytes.toString('latin1');
      if (enough(received)) socket.destroy();
    });
    socket.on('error', reject);
    socket.on('close', () => resolve(received));
  });
}
