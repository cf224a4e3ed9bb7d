import assert from 'node:assert/strict';
import http2, { constants, type ClientHttp2Session } from 'node:http2';
import type { AddressInfo } from 'node:net';
import type { BucketSize } from '../../apimachinery/collections/token-bucket.ts';
import { guardSession } from './guard-session.ts';

describe('guardSession', () => {
  let server: http2.Http2Server;
  let port: number;
  let handled: number;

  async function serve(resets: BucketSize, nowMs?: () => number): Promise<void> {
    handled = 0;
    server = http2.createServer((request, response) => {
      handled++;
      if (request.url === '/hang') return;
      response.end('ok');
    });
    server.on('session', (session) => guardSession(session, resets, nowMs));
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    port = (server.address() as AddressInfo).port;
  }
  afterEach(() => new Promise((resolve) => server.close(resolve)));

  function open(): { session: ClientHttp2Session; ended: Promise<number | undefined> } {
    const session = http2.connect(`http://127.0.0.1:${port}`);
    let goaway: number | undefined;
    session.on('goaway', (code) => {
      goaway ??= code;
    });
    session.on('error', () => undefined);
    return { session, ended: new Promise((resolve) => void session.once('close', () => resolve(goaway))) };
  }
  const request = (session: ClientHttp2Session, path: string): Promise<http2.ClientHttp2Stream> =>
    new Promise((resolve) => {
      const stream = session.request({ ':path': path });
      stream.on('error', () => undefined);
      stream.resume();
      // Reset after the server has it: a stream that is reset in one packet with its headers is never seen.
      if (path === '/hang') setImmediate(() => stream.close(constants.NGHTTP2_CANCEL));
      stream.once('close', () => resolve(stream));
    });

  it('ends sessions with too many resets of streams', async () => {
    await serve({ burst: 20, perSecond: 0.001 });
    const { session, ended } = open();
    for (let i = 0; i < 30 && !session.destroyed && !session.closed; i++) await request(session, '/hang');
    assert.equal(await ended, constants.NGHTTP2_ENHANCE_YOUR_CALM);
    assert.ok(handled <= 22, `${handled} requests were handled`);
  });

  it('forgives resets with time, and streams that were open for a while', async () => {
    let now = 0;
    await serve({ burst: 2, perSecond: 1 }, () => now);
    const { session, ended } = open();
    for (let i = 0; i < 10; i++) {
      await request(session, '/hang');
      now += 1000;
    }
    for (let i = 0; i < 10; i++) {
      const stream = session.request({ ':path': '/hang' });
      stream.on('error', () => undefined);
      await request(session, '/');
      now += 1001;
      stream.close(constants.NGHTTP2_CANCEL);
      await new Promise((resolve) => void stream.once('close', resolve));
    }
    for (let i = 0; i < 10; i++) assert.equal((await request(session, '/')).rstCode, constants.NGHTTP2_NO_ERROR);
    session.close();
    assert.ok(!(await ended));
  });
});
