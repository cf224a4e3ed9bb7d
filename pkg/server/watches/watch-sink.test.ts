import assert from 'node:assert/strict';
import http from 'node:http';
import http2 from 'node:http2';
import { setTimeout as delay } from 'node:timers/promises';
import { FrameBatch } from '../../storage/cacher/frame-batch.ts';
import type { WatchSink } from '../../storage/cacher/watch-group.ts';
import { exchange, serveHttp1, serveHttp2, type Loopback } from '../loopback-testing.ts';
import type { RawResponse } from '../request/request-context.ts';
import { watchSink } from './watch-sink.ts';

const batch = (text: string) => new FrameBatch([Buffer.from(text)]);
const GET = 'GET / HTTP/1.1\r\nhost: x\r\n\r\n';

/** Opens the stream as the watch handler does. */
function open(response: RawResponse): WatchSink {
  if (!('stream' in response) && response.req.httpVersion === '1.1') response.setHeader('transfer-encoding', 'chunked');
  (response as { writeHead(status: number): unknown }).writeHead(200);
  if ('flushHeaders' in response) response.flushHeaders();
  return watchSink(response);
}

async function until(condition: () => boolean): Promise<void> {
  for (let i = 0; i < 500 && !condition(); i++) await delay(10);
  assert.ok(condition(), 'waited in vain');
}

describe('watchSink', () => {
  let loopback: Loopback;
  let onSink: (sink: WatchSink, response: RawResponse) => unknown;

  afterEach(() => loopback.close());

  describe('on HTTP/1.1', () => {
    beforeEach(async () => {
      loopback = await serveHttp1((_request, response) => onSink(open(response), response));
    });

    it('sends each batch as one chunk, and the last chunk at the end', async () => {
      onSink = (sink) => {
        sink.write(batch('{"a":1}\n'));
        sink.write(batch('ü\n{"b":2}\n'));
        sink.end();
      };
      const received = await exchange(loopback.port, GET, (text) => text.endsWith('0\r\n\r\n'));
      assert.match(received, /transfer-encoding: chunked/i);
      const body = Buffer.from(received.slice(received.indexOf('\r\n\r\n') + 4), 'latin1').toString();
      assert.equal(body, '8\r\n{"a":1}\n\r\nb\r\nü\n{"b":2}\n\r\n0\r\n\r\n');
    });

    for (const connection of ['', 'connection: keep-alive\r\n']) {
      it(`sends batches as they are to a client of HTTP/1.0, and ends with the connection${connection === '' ? '' : ', which it asked to keep'}`, async () => {
        onSink = async (sink) => {
          sink.write(batch('{"a":1}\n'));
          await delay(20);
          sink.write(batch('ü\n{"b":2}\n'));
          sink.end();
        };
        const received = await exchange(loopback.port, `GET / HTTP/1.0\r\nhost: x\r\n${connection}\r\n`);
        assert.doesNotMatch(received, /transfer-encoding|content-length|keep-alive/i);
        assert.match(received, /^connection: close\r$/im);
        assert.equal(
          Buffer.from(received.slice(received.indexOf('\r\n\r\n') + 4), 'latin1').toString(),
          '{"a":1}\nü\n{"b":2}\n',
        );
      });
    }

    it('keeps what is written while the answer before it is still in flight on its connection', async () => {
      const sinks: WatchSink[] = [];
      onSink = (sink) => {
        sinks.push(sink);
        if (sinks.length === 1) return;
        assert.equal(sink.closed, false, 'waiting for the socket');
        sink.write(batch('second\n'));
        sinks[0]!.write(batch('first\n'));
        sinks[0]!.end();
        sink.end();
      };
      const received = await exchange(loopback.port, GET + GET, (text) => text.split('0\r\n\r\n').length === 3);
      assert.deepEqual(received.match(/first|second/g), ['first', 'second']);
    });

    it('gives a client what it can parse, over many batches', async () => {
      const lines = Array.from({ length: 2000 }, (_, i) => `${'x'.repeat(i % 700)}${i}\n`);
      onSink = (sink) => {
        for (let i = 0; i < lines.length; i += 10) sink.write(batch(lines.slice(i, i + 10).join('')));
        sink.end();
      };
      const text = await new Promise<string>((resolve, reject) => {
        http
          .get({ port: loopback.port, host: '127.0.0.1' }, (response) => {
            let all = '';
            response.on('data', (part: Buffer) => {
              all += part.toString();
            });
            response.on('end', () => resolve(all));
            response.on('error', reject);
          })
          .on('error', reject);
      });
      assert.equal(text, lines.join(''));
    });

    it('shares one chunk between the watchers of a batch', () => {
      const shared = batch('frame\n');
      assert.equal(shared.http1Chunk(), shared.http1Chunk());
      onSink = () => undefined;
    });

    it('keeps the connection for the next request', async () => {
      let requests = 0;
      onSink = (sink) => {
        sink.write(batch(`watch ${++requests}\n`));
        sink.end();
      };
      const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
      const get = () =>
        new Promise<string>(
          (resolve, reject) =>
            void http
              .get({ agent, port: loopback.port, host: '127.0.0.1' }, (response) => {
                let all = '';
                const { localPort } = response.socket;
                response.on('data', (part: Buffer) => {
                  all += part.toString();
                });
                response.on('end', () => resolve(`${all}${String(localPort)}`));
              })
              .on('error', reject),
        );
      const [first, second] = [await get(), await get()];
      agent.destroy();
      assert.deepEqual([first.split('\n')[0], second.split('\n')[0]], ['watch 1', 'watch 2']);
      assert.equal(first.split('\n')[1], second.split('\n')[1]);
    });

    it('counts what a slow client has not taken, and tells when it has', async () => {
      let sink: WatchSink | undefined;
      onSink = (opened) => {
        sink = opened;
      };
      const response = await new Promise<http.IncomingMessage>(
        (resolve) => void http.get({ port: loopback.port, host: '127.0.0.1' }, resolve),
      );
      response.pause();
      const frame = batch('x'.repeat(1024 * 1024));
      for (let i = 0; i < 16; i++) sink!.write(frame);
      assert.ok(sink!.bufferedBytes > 1024 * 1024, String(sink!.bufferedBytes));
      const drained = sink!.drained();
      response.resume();
      await drained;
      await until(() => sink!.bufferedBytes === 0);
      await sink!.drained();
      response.destroy();
    });

    it('is closed once ended or left, and takes nothing more', async () => {
      const sinks: WatchSink[] = [];
      onSink = (sink) => void sinks.push(sink);
      const response = await new Promise<http.IncomingMessage>(
        (resolve) => void http.get({ port: loopback.port, host: '127.0.0.1' }, resolve),
      );
      assert.equal(sinks[0]!.closed, false);
      response.on('error', () => undefined);
      response.destroy();
      await until(() => sinks[0]!.closed);
      sinks[0]!.write(batch('into the void'));
      await sinks[0]!.drained();
      onSink = (sink) => {
        sink.end();
        assert.equal(sink.closed, true);
        sink.write(batch('too late'));
        sink.end();
      };
      assert.ok(!(await exchange(loopback.port, GET, (text) => text.endsWith('0\r\n\r\n'))).includes('too late'));
    });

    it('cuts off a client that does not take the end of its stream', async () => {
      let response: RawResponse | undefined;
      const closed = new Promise<void>((resolve) => {
        onSink = (_sink, opened) => {
          const sink = watchSink(opened, 100);
          response = opened;
          opened.once('close', () => resolve());
          for (let i = 0; i < 16; i++) sink.write(batch('x'.repeat(1024 * 1024)));
          sink.end();
        };
      });
      const client = await new Promise<http.IncomingMessage>(
        (resolve) => void http.get({ port: loopback.port, host: '127.0.0.1' }, resolve),
      );
      client.pause();
      client.on('error', () => undefined);
      await closed;
      assert.equal(response!.destroyed, true);
      client.destroy();
    });
  });

  describe('on HTTP/2', () => {
    let session: http2.ClientHttp2Session;
    beforeEach(async () => {
      loopback = await serveHttp2((_request, response) => onSink(open(response), response));
      session = http2.connect(`http://127.0.0.1:${loopback.port}`);
      session.on('error', () => undefined);
    });
    afterEach(() => session.destroy());

    it('sends the bytes as they are', async () => {
      onSink = (sink) => {
        sink.write(batch('{"a":1}\n'));
        sink.write(batch('{"b":2}\n'));
        sink.end();
      };
      const stream = session.request({ ':path': '/' });
      let text = '';
      for await (const part of stream) text += String(part);
      assert.equal(text, '{"a":1}\n{"b":2}\n');
    });

    it('counts what a slow client has not taken, and tells when it has', async () => {
      let sink: WatchSink | undefined;
      onSink = (opened) => {
        sink = opened;
      };
      const stream = session.request({ ':path': '/' });
      await new Promise((resolve) => void stream.once('response', resolve));
      const frame = batch('x'.repeat(1024 * 1024));
      for (let i = 0; i < 8; i++) sink!.write(frame);
      await delay(50);
      assert.ok(sink!.bufferedBytes > 1024 * 1024, String(sink!.bufferedBytes));
      const drained = sink!.drained();
      stream.resume();
      await drained;
      await until(() => sink!.bufferedBytes === 0);
    });

    it('is closed once its stream is left, while others of the connection go on', async () => {
      const sinks: WatchSink[] = [];
      onSink = (sink) => void sinks.push(sink);
      const [left, kept] = [session.request({ ':path': '/' }), session.request({ ':path': '/' })];
      await until(() => sinks.length === 2);
      left.close(http2.constants.NGHTTP2_CANCEL);
      await until(() => sinks[0]!.closed);
      sinks[0]!.write(batch('into the void'));
      await sinks[0]!.drained();
      sinks[0]!.end();
      assert.equal(sinks[1]!.closed, false);
      sinks[1]!.write(batch('still here'));
      sinks[1]!.end();
      let text = '';
      for await (const part of kept) text += String(part);
      assert.equal(text, 'still here');
    });
  });
});
