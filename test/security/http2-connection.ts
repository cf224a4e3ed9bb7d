import http2 from 'node:http2';
import type { IncomingHttpHeaders } from 'node:http2';
import type { TestServer } from '../fixtures/test-server.ts';

export interface Http2Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  // `any`: tests look into answers of every kind.
  readonly json: any;
}

/** One HTTP/2 connection to the server. */
export class Http2Connection {
  readonly session: http2.ClientHttp2Session;
  private readonly token: string;

  private constructor(session: http2.ClientHttp2Session, token: string) {
    this.session = session;
    this.token = token;
    // A server that ends the connection is what some tests are about.
    session.on('error', () => undefined);
  }

  static open(server: TestServer): Promise<Http2Connection> {
    return new Promise((resolve, reject) => {
      const session = http2.connect(server.running.url, { rejectUnauthorized: false });
      session.once('error', reject);
      session.once('connect', () => resolve(new Http2Connection(session, server.client.token)));
    });
  }

  /** Opens a stream; the caller ends it. */
  request(
    method: string,
    path: string,
    headers: http2.OutgoingHttpHeaders = {},
    endStream = true,
  ): http2.ClientHttp2Stream {
    const stream = this.session.request(
      { ':method': method, ':path': path, authorization: `Bearer ${this.token}`, ...headers },
      { endStream },
    );
    stream.on('error', () => undefined);
    return stream;
  }

  async send(
    method: string,
    path: string,
    body?: Uint8Array,
    headers: http2.OutgoingHttpHeaders = {},
  ): Promise<Http2Answer> {
    const stream = this.request(method, path, headers, body === undefined);
    if (body !== undefined) stream.end(body);
    return answerOf(stream);
  }

  close(): void {
    this.session.destroy();
  }
}

/** Reads a stream to its end. */
export function answerOf(stream: http2.ClientHttp2Stream): Promise<Http2Answer> {
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    let headers: IncomingHttpHeaders & { ':status'?: number } = {};
    stream.on('response', (h) => {
      headers = h;
    });
    stream.on('data', (part: Buffer) => parts.push(part));
    stream.on('end', () => {
      const body = Buffer.concat(parts);
      if (headers[':status'] === undefined)
        reject(new Error(`the stream ended without an answer (code ${stream.rstCode})`));
      else
        resolve({
          status: headers[':status'],
          headers,
          body,
          get json() {
            return JSON.parse(body.toString());
          },
        });
    });
    stream.on('close', () => reject(new Error(`the stream was reset (code ${stream.rstCode})`)));
  });
}
