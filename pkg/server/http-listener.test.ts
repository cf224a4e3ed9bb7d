import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import http2 from 'node:http2';
import net from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import tls from 'node:tls';
import { HttpListener } from './http-listener.ts';
import { readBody } from './bodies/read-body.ts';
import { HttpExchange } from './request/http-exchange.ts';
import { RequestContext, type RawRequest, type RawResponse, type RequestBody } from './request/request-context.ts';
import { parseRequestInfo } from './request/request-info.ts';
import { respondParts, respondText } from './answers/respond.ts';
import { readKeyPair } from './tls/key-pair-files.ts';
import type { KeyPair } from './tls/listener-tls.ts';
import { ensureSelfSigned } from './tls/self-signed.ts';

const timeouts = { handshakeMs: 300, headersMs: 300, idleMs: 300, requestMs: 600, checkMs: 100 };
const STALL_MS = 300;

describe('HttpListener', () => {
  const dir = mkdtempSync(path.join(tmpdir(), 'binnacle-listener-'));
  let certificate: KeyPair;
  let listener: HttpListener;
  let port: number;
  let handshakesFailed = 0;
  let closed: Promise<void>;

  /** Answers with the length of the body; at `/large` sends more than any buffer takes. */
  async function handle(request: RawRequest, response: RawResponse, sent: RequestBody): Promise<void> {
    const context = new RequestContext(
      new HttpExchange(request, response),
      parseRequestInfo('GET', '/', false),
      '',
      sent,
      'id',
      0,
    );
    if (request.url?.includes('/proxy/') === true) {
      let bytes = 0;
      for await (const part of request) bytes += (part as Buffer).length;
      respondText(context, 200, `${bytes} bytes`);
      return;
    }
    if (request.url !== '/large') {
      const { unreadBody } = sent;
      if (unreadBody !== undefined) {
        unreadBody.want();
        context.body = await readBody(request, unreadBody.announcedBytes, 1000).catch(() => context.body);
        unreadBody.wasRead();
      }
      respondText(context, 200, `${context.body.length} bytes`);
      return;
    }
    closed = new Promise((resolve) => void response.once('close', () => resolve()));
    const part = new Uint8Array(1024 * 1024);
    await respondParts(
      context,
      200,
      'application/octet-stream',
      Array.from({ length: 64 }, () => part),
      64 * part.length,
      false,
      STALL_MS,
    );
  }

  before(async () => {
    certificate = readKeyPair(ensureSelfSigned(dir, ['localhost', '127.0.0.1']));
  });
  beforeEach(async () => {
    listener = new HttpListener({
      tls: { context: certificate },
      host: '127.0.0.1',
      port: 0,
      timeouts,
      onHandshakeFailed: () => handshakesFailed++,
      handle,
    });
    port = await listener.listen();
  });
  afterEach(() => listener.close());
  after(() => rmSync(dir, { recursive: true, force: true }));

  /** Sends the text and resolves with all that comes back when the server has closed the connection. */
  function untilClosed(text: string): Promise<string> {
    return new Promise((resolve, reject) => {
      const socket = tls.connect({ port, host: '127.0.0.1', rejectUnauthorized: false }, () => void socket.write(text));
      let received = '';
      socket.on('data', (bytes: Buffer) => {
        received += bytes.toString();
      });
      socket.on('error', reject);
      socket.on('close', () => resolve(received));
    });
  }

  it('gives up on headers that do not come', async () => {
    const late = /^HTTP\/1\.1 408 .*"message":"the request did not arrive in time".*"code":408/s;
    assert.match(await untilClosed('GET / HTTP/1.1\r\nhost: x\r\n'), late);
    assert.match(await untilClosed(''), late);
  });

  it('gives up on bodies that do not come', async () => {
    assert.match(await untilClosed('POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\n\r\nab'), /^HTTP\/1\.1 408 /);
  });

  for (const [what, head] of [
    ['a length', 'content-length: 10\r\n'],
    ['chunks', 'transfer-encoding: chunked\r\n'],
  ] as const) {
    it(`gives bodies with ${what} of proxied requests the time that they need`, async () => {
      const socket = tls.connect({ port, host: '127.0.0.1', rejectUnauthorized: false });
      socket.write(`POST /api/v1/nodes/n/proxy/upload HTTP/1.1\r\nhost: x\r\n${head}\r\n`);
      let text = '';
      socket.on('data', (bytes: Buffer) => {
        text += bytes.toString();
      });
      for (let i = 0; i < 10; i++) {
        socket.write(what === 'chunks' ? '1\r\nx\r\n' : 'x');
        await new Promise((resolve) => setTimeout(resolve, (timeouts.requestMs * 2) / 10));
      }
      if (what === 'chunks') socket.write('0\r\n\r\n');
      while (!text.includes('bytes')) await new Promise((resolve) => setTimeout(resolve, 5));
      assert.match(text, /^HTTP\/1\.1 200 [^]*10 bytes$/);
      socket.destroy();
    });
  }

  it('resets streams of HTTP/2 whose body does not come', async () => {
    const session = http2.connect(`https://127.0.0.1:${port}`, { rejectUnauthorized: false });
    const slow = session.request({ ':method': 'POST', ':path': '/' });
    slow.write('ab');
    const reset = new Promise<number>((resolve) => {
      slow.on('error', () => undefined);
      slow.on('close', () => resolve(slow.rstCode));
    });
    const prompt = session.request({ ':method': 'POST', ':path': '/' });
    prompt.end('abc');
    let text = '';
    for await (const part of prompt) text += String(part);
    assert.equal(text, '3 bytes');
    assert.equal(await reset, http2.constants.NGHTTP2_CANCEL);
    session.close();
  });

  it('ends connections that are idle', async () => {
    const kept = untilClosed('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
    const session = http2.connect(`https://127.0.0.1:${port}`, { rejectUnauthorized: false });
    const ended = new Promise<void>((resolve) => void session.once('close', () => resolve()));
    session.request({ ':path': '/' }).resume();
    assert.match(await kept, /^HTTP\/1\.1 200 /);
    await ended;
  });

  it('disconnects clients that read nothing of their answer', async () => {
    const socket = tls.connect(
      { port, host: '127.0.0.1', rejectUnauthorized: false },
      () => void socket.write('GET /large HTTP/1.1\r\nhost: x\r\n\r\n'),
    );
    socket.on('error', () => undefined);
    await new Promise((resolve) => void socket.once('readable', resolve));
    await closed;
    socket.destroy();
  });

  it('reports handshakes that fail, except those of plain HTTP', async () => {
    const send = (text: string): Promise<void> =>
      new Promise((resolve) => {
        const socket = net.connect(port, '127.0.0.1', () => void socket.write(text));
        socket
          .on('error', () => undefined)
          .on('close', () => resolve())
          .resume();
      });
    handshakesFailed = 0;
    await send('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
    assert.equal(handshakesFailed, 0);
    await send('\x16\x03\x01\x00\x05hello');
    assert.equal(handshakesFailed, 1);
  });
});
