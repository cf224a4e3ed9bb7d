import assert from 'node:assert/strict';
import http, { type IncomingMessage } from 'node:http';
import http2 from 'node:http2';
import type { Readable } from 'node:stream';
import { FrameBatch } from '../../storage/cacher/frame-batch.ts';
import type { WatchSink } from '../../storage/cacher/watch-group.ts';
import { ConnectionRates } from '../connections/connection-rates.ts';
import { ManualClock } from '../connections/manual-clock-testing.ts';
import { serveHttp1, serveHttp2, type Loopback } from '../loopback-testing.ts';
import { pacedWatchSink } from './paced-watch-sink.ts';
import type { RawRequest, RawResponse } from '../request/request-context.ts';

const batch = (text: string) => new FrameBatch([Buffer.from(text)]);
const turn = () => new Promise(setImmediate);

describe('pacedWatchSink', () => {
  let clock: ManualClock;
  let rates: ConnectionRates;
  let loopback: Loopback;
  let sinks: WatchSink[];
  let responses: RawResponse[];

  beforeEach(() => {
    clock = new ManualClock();
    rates = new ConnectionRates({ bytesPerSecond: 1000, nowMs: clock.nowMs, wait: clock.wait });
    sinks = [];
    responses = [];
  });
  afterEach(() => loopback.close());

  /** Opens the stream as the watch handler does. */
  const open =
    (endGraceMs?: number) =>
    (request: RawRequest, response: RawResponse): void => {
      if (!('stream' in response)) response.setHeader('transfer-encoding', 'chunked');
      (response as { writeHead(status: number): unknown }).writeHead(200);
      if ('flushHeaders' in response) response.flushHeaders();
      responses.push(response);
      sinks.push(pacedWatchSink(response, rates.of(request).toClient(), endGraceMs));
    };

  const get = (): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      http.get({ port: loopback.port, host: '127.0.0.1' }, resolve).on('error', reject);
    });

  function received(stream: Readable): { text: string; ended: boolean } {
    const seen = { text: '', ended: false };
    stream.on('data', (part: Buffer) => {
      seen.text += part.toString();
    });
    stream.on('end', () => {
      seen.ended = true;
    });
    stream.on('error', () => undefined);
    return seen;
  }

  async function until(holds: () => boolean, advanceMs = 0): Promise<void> {
    while (!holds()) {
      if (advanceMs > 0) await clock.advance(advanceMs);
      await turn();
    }
  }

  it('sends events at the pace, and all of them by its end', async () => {
    loopback = await serveHttp1(open());
    const seen = received(await get());
    const events = `${'x'.repeat(499)}\n`.repeat(5);
    sinks[0]!.write(batch(events));
    await until(() => seen.text.length === 100);
    assert.ok(sinks[0]!.bufferedBytes > 2000, String(sinks[0]!.bufferedBytes));
    const drained = sinks[0]!.drained();
    await until(() => seen.text.length === 2500, 100);
    assert.ok(clock.nowMs() >= 2400, `all came within ${clock.nowMs()} ms`);
    await drained;
    await until(() => sinks[0]!.bufferedBytes === 0);
    sinks[0]!.write(batch('the last\n'));
    sinks[0]!.end();
    sinks[0]!.write(batch('too late'));
    await until(() => seen.ended, 100);
    assert.equal(seen.text, `${events}the last\n`);
  });

  it('shares the pace among the watches of an HTTP/2 connection, but not with its other requests', async () => {
    const watch = open();
    loopback = await serveHttp2((request, response) => {
      if (request.url === '/other') (response as http2.Http2ServerResponse).end('y'.repeat(50_000));
      else watch(request, response);
    });
    const session = http2.connect(`http://127.0.0.1:${loopback.port}`);
    const seen = ['/a', '/b'].map((path) => received(session.request({ ':path': path })));
    await until(() => sinks.length === 2);
    for (const sink of sinks) sink.write(batch('x'.repeat(5000)));
    const other = received(session.request({ ':path': '/other' }));
    await until(() => other.ended);
    assert.deepEqual([other.text.length, clock.nowMs()], [50_000, 0]);
    await clock.advance(2000);
    await until(() => seen[0]!.text.length + seen[1]!.text.length >= 2100);
    assert.equal(seen[0]!.text.length + seen[1]!.text.length, 2100);
    session.destroy();
  });

  it('releases everything when its client does', async () => {
    loopback = await serveHttp1(open());
    const response = await get();
    response.on('error', () => undefined);
    sinks[0]!.write(batch('x'.repeat(5000)));
    await until(() => clock.pending === 1);
    const drained = sinks[0]!.drained();
    response.destroy();
    await drained;
    await until(() => sinks[0]!.closed);
    assert.equal(clock.pending, 0);
    sinks[0]!.end();
  });

  it('cuts off a client that does not take the end of its stream', async () => {
    loopback = await serveHttp1(open(50));
    rates = new ConnectionRates({ bytesPerSecond: 1e9, nowMs: clock.nowMs, wait: (_ms, then) => clock.wait(0, then) });
    const client = await get();
    client.pause();
    client.on('error', () => undefined);
    const closed = new Promise<void>((resolve) => void responses[0]!.once('close', () => resolve()));
    for (let i = 0; i < 16; i++) sinks[0]!.write(batch('x'.repeat(1024 * 1024)));
    sinks[0]!.end();
    await closed;
    assert.equal(sinks[0]!.closed, true);
    client.destroy();
  });
});
