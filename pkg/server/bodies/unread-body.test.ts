import assert from 'node:assert/strict';
import http2, { type Http2ServerResponse } from 'node:http2';
import { createServer, type Server } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import type { RawRequest, RawResponse } from '../request/request-context.ts';
import { readBody } from './read-body.ts';
import { hasBody, UnreadBody } from './unread-body.ts';

const REFUSED = 'HTTP/1.1 403 Forbidden\r\n';

describe('UnreadBody', () => {
  let server: Server;
  let port: number;
  /** How requests are answered; `/read` has its body read, everything else is refused with it unread. */
  const served: string[] = [];

  before(async () => {
    server = createServer((request, response) => void serve(request, response, false));
    server.on('checkContinue', (request, response) => void serve(request, response, true));
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    port = (server.address() as AddressInfo).port;
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  beforeEach(() => {
    served.length = 0;
  });

  async function serve(request: RawRequest, response: RawResponse, expectsContinue: boolean): Promise<void> {
    served.push(request.url!);
    const answer = response as Http2ServerResponse;
    const unread = hasBody(request)
      ? new UnreadBody(request, response, { streamed: false, expectsContinue })
      : undefined;
    if (request.url === '/read' && unread !== undefined) {
      unread.want();
      await readBody(request, unread.announcedBytes, 10_000_000);
      unread.wasRead();
    } else response.statusCode = 403;
    answer.setHeader('content-length', 2);
    answer.end('ok');
  }

  /** All that comes back for data sent in pieces, until the server closes the connection or `enough` returns true. */
  function talk(
    parts: readonly (string | Buffer)[],
    enough: (text: string) => boolean = () => false,
    afterwards?: string,
  ): Promise<{ text: string; error: Error | undefined }> {
    return new Promise((resolve) => {
      let text = '';
      let more = afterwards;
      let error: Error | undefined;
      const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
      socket.on('end', () => socket.destroy());
      socket.on('data', (bytes) => {
        text += bytes.toString('latin1');
        if (enough(text)) socket.destroy();
        else if (more !== undefined) socket.write(more);
        more = undefined;
      });
      socket.on('error', (e) => {
        error = e;
      });
      socket.on('close', () => resolve({ text, error }));
      for (const part of parts) socket.write(part);
    });
  }

  const post = (path: string, head: string): string => `POST ${path} HTTP/1.1\r\nhost: x\r\n${head}\r\n\r\n`;
  const next = 'GET /next HTTP/1.1\r\nhost: x\r\n\r\n';

  it('lets the connection continue behind a small announced body', async () => {
    const bytes = 256 * 1024;
    const { text } = await talk(
      [post('/no', `content-length: ${bytes}`), Buffer.alloc(bytes, 'x'), next],
      (t) => t.split(REFUSED).length === 3,
    );
    assert.deepEqual([served, /connection: close/i.test(text)], [['/no', '/next'], false]);
  });

  for (const [what, head, body] of [
    ['more than that', `content-length: ${256 * 1024 + 1}`, Buffer.alloc(256 * 1024 + 1, 'x')],
    ['who knows how much', 'transfer-encoding: chunked', Buffer.from('1\r\nx\r\n0\r\n\r\n')],
    ['an unexpected body', 'expect: 100-continue\r\ncontent-length: 1', Buffer.from('x')],
    ['the last request of a connection', 'connection: close\r\ncontent-length: 1', Buffer.from('x')],
  ] as const) {
    it(`closes the connection behind ${what}, reads nothing more as a request, and delivers the answer`, async () => {
      const { text, error } = await talk([post('/no', head), body], undefined, next);
      assert.ok(text.startsWith(REFUSED), text);
      assert.match(text, /connection: close/i);
      assert.deepEqual([served, error], [['/no'], undefined]);
    });
  }

  it('delivers the answer to a client that continues to send', async () => {
    const slab = Buffer.alloc(1024 * 1024, 'x');
    const { text } = await talk([
      post('/no', `content-length: ${64 * slab.length}`),
      ...Array.from({ length: 32 }, () => slab),
    ]);
    assert.ok(text.startsWith(REFUSED) && text.endsWith('ok'), text);
  });

  it('keeps the connection when the body was read', async () => {
    const bytes = 1_000_000;
    const { text } = await talk(
      [
        post('/read', `content-length: ${bytes}`),
        Buffer.alloc(bytes, 'x'),
        post('/read', 'transfer-encoding: chunked'),
        '1\r\nx\r\n0\r\n\r\n',
        next,
      ],
      (t) => t.includes(REFUSED),
    );
    assert.deepEqual([served, /connection: close/i.test(text)], [['/read', '/read', '/next'], false]);
  });

  it('sends 100 Continue to a client that asks for it when the body is to be read, and never otherwise', async () => {
    const wanted = await talk([post('/read', 'expect: 100-continue\r\ncontent-length: 1')], (t) =>
      t.includes('100 Continue'),
    );
    assert.match(wanted.text, /^HTTP\/1\.1 100 Continue\r\n\r\n$/);
    const refused = await talk([post('/no', 'expect: 100-continue\r\ncontent-length: 1')]);
    assert.ok(refused.text.startsWith(REFUSED), refused.text);
  });

  it('has a stream of HTTP/2 closed without an error behind its answer', async () => {
    const plain = http2.createServer((request, response) => void serve(request, response, false));
    await new Promise<void>((resolve) => void plain.listen(0, '127.0.0.1', resolve));
    const session = http2.connect(`http://127.0.0.1:${(plain.address() as AddressInfo).port}`);
    const stream = session.request({ ':method': 'POST', ':path': '/no', 'content-length': 10_000_000 });
    stream.on('error', () => undefined);
    stream.write(Buffer.alloc(100_000));
    let text = '';
    stream.on('data', (bytes) => {
      text += String(bytes);
    });
    await new Promise<void>((resolve) => void stream.once('aborted', resolve).once('close', resolve));
    assert.deepEqual([text, stream.rstCode], ['ok', http2.constants.NGHTTP2_NO_ERROR]);
    session.destroy();
    plain.close();
  });
});
