import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { FrameBatch } from '../../storage/cacher/frame-batch.ts';
import { ConnectionRates } from '../connections/connection-rates.ts';
import { ManualClock } from '../connections/manual-clock-testing.ts';
import type { RawRequest } from '../request/request-context.ts';
import { maskedFrame } from './masked-frame-testing.ts';
import { opcodes } from './server-frames.ts';
import { WebSocketSink } from './web-socket-sink.ts';

const batch = (...events: string[]): FrameBatch => new FrameBatch(events.map((event) => Buffer.from(event)));
/** More than the system takes for a client that does not read. */
const LARGE = 'x'.repeat(16 * 1024 * 1024);

describe('WebSocketSink', () => {
  let server: Server;
  let client: Socket;
  let accepted: Socket;
  let received: string;

  beforeEach(async () => {
    server = createServer({ allowHalfOpen: true }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    client = connect((server.address() as AddressInfo).port, '127.0.0.1');
    client.on('error', () => undefined);
    [accepted] = (await once(server, 'connection')) as [Socket];
    accepted.on('error', () => undefined);
    received = '';
    client.on('data', (bytes: Buffer) => {
      received += bytes.toString('latin1');
    });
  });
  afterEach(async () => {
    client.destroy();
    accepted.destroy();
    server.close();
    await once(server, 'close');
  });

  async function until(holds: () => boolean): Promise<void> {
    while (!holds()) await new Promise((resolve) => setTimeout(resolve, 1));
  }

  it('writes a message for each event, closes, and hangs up', async () => {
    const sink = new WebSocketSink(accepted, { binary: false, pace: undefined });
    sink.write(batch('{}\n', '[]\n'));
    await sink.drained();
    assert.deepEqual([sink.bufferedBytes, sink.closed], [0, false]);
    sink.end();
    sink.write(batch('too late'));
    await once(client, 'end');
    assert.deepEqual([received, sink.closed], ['\x81\x03{}\n\x81\x03[]\n\x88\x02\x03\xe8', true]);
  });

  it('counts what its client does not read, and lets no answers to pings pile up behind it', async () => {
    client.pause();
    const sink = new WebSocketSink(accepted, { binary: false, pace: undefined });
    sink.write(batch(LARGE));
    const buffered = sink.bufferedBytes;
    assert.ok(buffered > 0);
    for (let i = 0; i < 10; i++)
      client.write(Buffer.concat(Array.from({ length: 1000 }, () => maskedFrame(opcodes.ping, 'y'.repeat(100)))));
    client.write(maskedFrame(opcodes.close, ''));
    await until(() => sink.closed);
    assert.ok(sink.bufferedBytes <= buffered + 4);
  });

  it('gives a client that reads nothing no longer than the grace', async () => {
    client.pause();
    const sink = new WebSocketSink(accepted, { binary: false, pace: undefined, endGraceMs: 20 });
    sink.write(batch(LARGE));
    sink.end();
    await once(accepted, 'close');
    assert.equal(sink.closed, true);
  });

  it('keeps to a pace, its answers to pings and its end as well', async () => {
    const clock = new ManualClock();
    const rates = new ConnectionRates({ bytesPerSecond: 1000, nowMs: clock.nowMs, wait: clock.wait });
    const sink = new WebSocketSink(accepted, {
      binary: true,
      pace: rates.of({ socket: accepted } as unknown as RawRequest).toClient(),
    });
    sink.write(batch(`\0\0\0\x00${'z'.repeat(150)}`));
    client.write(maskedFrame(opcodes.ping, 'p'));
    await until(() => received.length === 100);
    assert.ok(sink.bufferedBytes >= 54);
    client.write(maskedFrame(opcodes.close, ''));
    await until(() => sink.closed);
    void clock.advance(1000);
    await once(client, 'end');
    assert.equal(received, `\x82\x7e\x00\x96${'z'.repeat(150)}\x8a\x01p\x88\x02\x03\xe8`);
  });
});
