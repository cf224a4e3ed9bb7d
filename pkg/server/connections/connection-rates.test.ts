import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { PassThrough, Readable, Writable } from 'node:stream';
import type { RawRequest } from '../request/request-context.ts';
import { ConnectionRates, paced } from './connection-rates.ts';
import { ManualClock } from './manual-clock-testing.ts';
import type { PacedStream } from './paced-stream.ts';

/** A request on a connection; over HTTP/2 the connection is a session. */
const over1 = (socket: object): RawRequest => ({ socket }) as RawRequest;
const over2 = (session: object): RawRequest => ({ stream: { session }, socket: {} }) as unknown as RawRequest;

/** Counts the bytes from a stream. */
function counted(stream: Readable): { bytes: number; parts: number[] } {
  const seen = { bytes: 0, parts: [] as number[] };
  stream.on('data', (part: Buffer) => {
    seen.bytes += part.length;
    seen.parts.push(part.length);
  });
  return seen;
}

describe('ConnectionRates', () => {
  let clock: ManualClock;
  let rates: ConnectionRates;
  beforeEach(() => {
    clock = new ManualClock();
    rates = new ConnectionRates({ bytesPerSecond: 1000, nowMs: clock.nowMs, wait: clock.wait });
  });

  it('lets a stream have its bytes per second, after a tenth of them at once', async () => {
    const stream = rates.of(over1({})).toClient();
    const seen = counted(stream);
    stream.end(Buffer.alloc(2500));
    await clock.advance(0);
    assert.equal(seen.bytes, 100);
    for (let second = 1; second <= 2; second++) {
      await clock.advance(1000);
      assert.equal(seen.bytes, 100 + second * 1000);
    }
    let ended = false;
    stream.once('end', () => {
      ended = true;
    });
    await clock.advance(400);
    assert.deepEqual([seen.bytes, ended, clock.pending], [2500, true, 0]);
  });

  it('passes small chunks on at once, and saves no more than a tenth of a second', async () => {
    const stream = rates.of(over1({})).toClient();
    const seen = counted(stream);
    await clock.advance(60_000);
    for (const key of ['l', 's', '\n']) {
      stream.write(key);
      await clock.advance(0);
    }
    assert.deepEqual(seen.parts, [1, 1, 1]);
    stream.write(Buffer.alloc(1000));
    await clock.advance(0);
    assert.ok(seen.bytes <= 100, `${seen.bytes} bytes`);
  });

  it('keeps the bytes and their order', async () => {
    const stream = rates.of(over1({})).toClient();
    const bytes = Buffer.from(Array.from({ length: 3000 }, (_, i) => i % 251));
    const parts: Buffer[] = [];
    stream.on('data', (part: Buffer) => parts.push(part));
    for (let i = 0; i < bytes.length; i += 701) stream.write(bytes.subarray(i, i + 701));
    stream.end();
    await clock.advance(10_000);
    assert.deepEqual(Buffer.concat(parts), bytes);
  });

  it('is one for all streams of a connection, of either protocol', async () => {
    for (const over of [over1, over2]) {
      const connection = {};
      const streams = [rates.of(over(connection)).toClient(), rates.of(over(connection)).toClient()];
      const seen = streams.map(counted);
      for (const stream of streams) stream.write(Buffer.alloc(10_000));
      await clock.advance(4000);
      assert.equal(seen[0]!.bytes + seen[1]!.bytes, 4100);
      for (const { bytes } of seen) assert.ok(bytes >= 1900, `${bytes} of 4100 bytes`);
      for (const stream of streams) stream.destroy();
      await clock.advance(60_000);
    }
  });

  it('is separate for each connection, and for each direction', async () => {
    const [one, other] = [rates.of(over1({})), rates.of(over2({}))];
    const streams = [one.toClient(), one.fromClient(), other.toClient(), other.fromClient()];
    const seen = streams.map(counted);
    for (const stream of streams) stream.write(Buffer.alloc(10_000));
    await clock.advance(1000);
    assert.deepEqual(
      seen.map(({ bytes }) => bytes),
      [1100, 1100, 1100, 1100],
    );
    for (const stream of streams) stream.destroy();
    assert.equal(clock.pending, 0);
  });

  it('may be one byte per second', async () => {
    rates = new ConnectionRates({ bytesPerSecond: 1, nowMs: clock.nowMs, wait: clock.wait });
    const stream = rates.of(over1({})).toClient();
    const seen = counted(stream);
    stream.end('abc');
    await clock.advance(1000);
    assert.equal(seen.bytes, 2);
    await clock.advance(1000);
    assert.equal(seen.bytes, 3);
  });

  it('applies back-pressure to the source', async () => {
    let read = 0;
    const endless = new Readable({
      highWaterMark: 1024,
      read() {
        read += 1024;
        this.push(Buffer.alloc(1024));
      },
    });
    const stream = paced(endless, rates.of(over1({})).toClient(), new EventEmitter());
    const seen = counted(stream);
    await clock.advance(5000);
    assert.ok(seen.bytes > 5000 && seen.bytes <= 5100, `${seen.bytes} bytes`);
    assert.ok(read - seen.bytes < 40_000, `${read} bytes were read for ${seen.bytes}`);
    assert.ok((stream as PacedStream).heldBytes < 40_000);
    endless.destroy();
    stream.destroy();
  });

  it('waits for a client that reads slower than the rate', async () => {
    let take = (): void => undefined;
    const slow = new Writable({
      highWaterMark: 100,
      write: (_chunk, _encoding, done) => {
        take = done;
      },
    });
    const source = new PassThrough();
    const stream = paced(source, rates.of(over1({})).toClient(), slow) as PacedStream;
    stream.pipe(slow);
    source.write(Buffer.alloc(10_000));
    await clock.advance(60_000);
    assert.ok(stream.heldBytes > 9000, `${stream.heldBytes} bytes wait`);
    take();
    slow.destroy();
    source.destroy();
  });
});

describe('paced', () => {
  it('is the source itself without a rate', () => {
    const source = new PassThrough();
    assert.equal(paced(source, undefined, new EventEmitter()), source);
  });

  it('waits for nothing more after the sink has closed', async () => {
    const clock = new ManualClock();
    const pace = new ConnectionRates({ bytesPerSecond: 10, nowMs: clock.nowMs, wait: clock.wait })
      .of(over1({}))
      .toClient();
    const [source, sink] = [new PassThrough(), new EventEmitter()];
    const seen = counted(paced(source, pace, sink));
    source.write(Buffer.alloc(100));
    await clock.advance(1000);
    assert.equal(clock.pending, 1);
    sink.emit('close');
    assert.deepEqual([clock.pending, pace.destroyed], [0, true]);
    const before = seen.bytes;
    await clock.advance(10_000);
    assert.equal(seen.bytes, before);
    source.destroy();
  });
});
