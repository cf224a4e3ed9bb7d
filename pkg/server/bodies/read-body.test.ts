import assert from 'node:assert/strict';
import http2 from 'node:http2';
import { connect, type Socket } from 'node:net';
import { exchange, serveHttp1, serveHttp2, type Loopback } from '../loopback-testing.ts';
import type { RawRequest, RawResponse } from '../request/request-context.ts';
import { readBody } from './read-body.ts';

const BYTES_MAX = 1000;

/** Answers with the body's length, or with the reason of a failure. */
async function measure(request: RawRequest, response: RawResponse): Promise<string> {
  const length = request.headers['content-length'];
  const told = await readBody(request, length === undefined ? undefined : Number(length), BYTES_MAX).then(
    (body) => `${body.length} bytes`,
    (error: Error) => error.message,
  );
  (response as http2.Http2ServerResponse).end(told);
  return told;
}

describe('readBody', () => {
  let http1: Loopback;
  let http2Server: Loopback;
  let told: Promise<string>;

  before(async () => {
    http1 = await serveHttp1((request, response) => {
      told = measure(request, response);
    });
    http2Server = await serveHttp2((request, response) => void measure(request, response));
  });
  after(async () => {
    await http1.close();
    await http2Server.close();
  });

  const ask = async (head: string, body: string): Promise<string> => {
    const text = await exchange(
      http1.port,
      `POST / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n${head}\r\n\r\n${body}`,
    );
    return text.slice(text.indexOf('\r\n\r\n') + 4).replaceAll(/^[0-9a-f]+\r\n|\r\n0?(\r\n)*/g, '');
  };
  const chunks = (...parts: string[]): string =>
    [...parts, ''].map((part) => `${part.length.toString(16)}\r\n${part}\r\n`).join('');

  for (const length of [1, 999, BYTES_MAX]) {
    it(`reads ${length} bytes, announced and in chunks`, async () => {
      const body = 'x'.repeat(length);
      assert.equal(await ask(`content-length: ${length}`, body), `${length} bytes`);
      assert.equal(await ask('transfer-encoding: chunked', chunks(body)), `${length} bytes`);
      assert.equal(await ask('transfer-encoding: chunked', chunks(...body)), `${length} bytes`);
    });
  }

  it('stops at the first byte too many', async () => {
    assert.equal(
      await ask('transfer-encoding: chunked', chunks('x'.repeat(BYTES_MAX), 'x')),
      `Request entity too large: limit is ${BYTES_MAX}`,
    );
  });

  it('reports that a body that breaks off could not be read', async () => {
    const socket: Socket = connect(http1.port, '127.0.0.1');
    socket.on('error', () => undefined);
    socket.write('POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 10\r\n\r\nabc');
    await new Promise((resolve) => void setTimeout(resolve, 50));
    socket.resetAndDestroy();
    assert.equal(await told, 'the request could not be read');
  });

  it('reads bodies over HTTP/2, with any announced length', async () => {
    const session = http2.connect(`http://127.0.0.1:${http2Server.port}`);
    const send = async (parts: readonly string[], headers: http2.OutgoingHttpHeaders = {}): Promise<string> => {
      const stream = session.request({ ':method': 'POST', ':path': '/', ...headers });
      stream.on('error', () => undefined);
      for (const part of parts) stream.write(part);
      stream.end();
      let text = '';
      for await (const piece of stream) text += String(piece);
      return text;
    };
    assert.equal(await send([]), '0 bytes');
    assert.equal(await send(['a', 'bc'], { 'content-length': 3 }), '3 bytes');
    assert.equal(await send(Array.from('y'.repeat(500))), '500 bytes');
    assert.equal(await send(['x'.repeat(BYTES_MAX), 'x']), `Request entity too large: limit is ${BYTES_MAX}`);
    session.close();
  });
});
