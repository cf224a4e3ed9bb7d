import http2 from 'node:http2';
import https from 'node:https';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { TestAuthority } from './certificates-testing.ts';

/** For tests: a real HTTPS service on the loopback that imitates a webhook or an issuer. */

export interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
  /** Subject of the client's certificate, if it sent one. */
  readonly clientSubject: string | undefined;
  /** The server name in the client's handshake. */
  readonly serverName: string | undefined;
  /** Port on the client's side: the same for requests of one connection. */
  readonly clientPort: number | undefined;
}

export interface HttpsService {
  readonly url: string;
  readonly port: number;
  /** PEM of the authority that signed the service's certificate. */
  readonly ca: string;
  readonly received: ReceivedRequest[];
  /** Replaces the answer. */
  answerWith(answer: ServiceAnswer): void;
  close(): Promise<void>;
}

export type ServiceAnswer = (request: ReceivedRequest, response: ServerResponse) => void;

export interface HttpsServiceSettings {
  readonly authority?: TestAuthority;
  readonly names?: readonly string[];
  /** PEM; client certificates are requested and must be signed by it. */
  readonly clientCa?: string;
  /** An address of the loopback; 127.0.0.1 when absent. */
  readonly host?: string;
  readonly port?: number;
  /** HTTP/2 as well as HTTP/1.1. */
  readonly http2?: boolean;
}

export async function startHttpsService(
  answer: ServiceAnswer,
  settings: HttpsServiceSettings = {},
): Promise<HttpsService> {
  const authority = settings.authority ?? (await TestAuthority.create());
  const serving = await authority.sign({ subject: 'CN=service', names: settings.names ?? ['127.0.0.1', 'localhost'] });
  const { host = '127.0.0.1' } = settings;
  const received: ReceivedRequest[] = [];
  let current = answer;
  const tls = {
    cert: serving.pem,
    key: serving.keyPem,
    ...(settings.clientCa === undefined ? {} : { ca: settings.clientCa, requestCert: true }),
  };
  const answered = (request: IncomingMessage, response: ServerResponse): void => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('error', () => undefined);
    request.on('end', () => {
      const socket = request.socket as TLSSocket;
      const seen = {
        method: request.method ?? '',
        path: request.url ?? '',
        headers: request.headers,
        body: Buffer.concat(parts).toString(),
        clientSubject: socket.getPeerX509Certificate()?.subject,
        serverName: socket.servername || undefined,
        clientPort: socket.remotePort,
      };
      received.push(seen);
      current(seen, response);
    });
  };
  const server = settings.http2 === true ? http2Server(tls, answered) : https.createServer(tls, answered);
  await new Promise<void>((resolve) => void server.listen(settings.port ?? 0, host, resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `https://${host}:${port}`,
    port,
    ca: authority.pem,
    received,
    answerWith(next) {
      current = next;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        if (server instanceof https.Server) server.closeAllConnections();
      }),
  };
}

/** Its requests have what those of HTTP/1.1 have. */
function http2Server(
  tls: http2.SecureServerOptions,
  answered: (request: IncomingMessage, response: ServerResponse) => void,
): http2.Http2SecureServer {
  const listener = answered as unknown as Parameters<typeof http2.createSecureServer>[1];
  return http2.createSecureServer({ ...tls, allowHTTP1: true }, listener);
}

/** Answers with a JSON document. */
export function answerJson(response: ServerResponse, document: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(document));
}
