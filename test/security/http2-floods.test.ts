/**
 * Floods of frames that no client would send: the sender is disconnected, or costs nothing, and others are served
 * meanwhile.
 */
import assert from 'node:assert/strict';
import { startTestServer, type TestServer } from '../fixtures/test-server.ts';
import { whileServing } from './bystander.ts';
import { flag, frame, FrameConnection, frameType, headerBlock, number32 } from './http2-frames.ts';

const maps = '/api/v1/namespaces/default/configmaps';
const CANCEL = 8;
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** What is sent again and again on one connection. */
interface Flood {
  /** The frames of one time; `stream` is new each time. */
  readonly next: (time: number, stream: number) => Buffer;
  /** In one write; default 10. */
  readonly perWrite?: number;
  /** The server has to have ended the connection by then. */
  readonly timesMax: number;
  /** False: what the server answers stays unread. */
  readonly reads?: boolean;
}

describe('floods of HTTP/2 frames', () => {
  let server: TestServer;
  let requests: { get: Buffer; watch: Buffer; post: Buffer };

  before(async () => {
    server = await startTestServer();
    const block = (method: string, path: string): Buffer =>
      headerBlock([
        [':method', method],
        [':scheme', 'https'],
        [':path', path],
        [':authority', 'x'],
        ['authorization', `Bearer ${server.client.token}`],
      ]);
    requests = { get: block('GET', maps), watch: block('GET', `${maps}?watch=true`), post: block('POST', maps) };
  });
  after(() => server.stop());

  /** Sends until the server ends the connection, or `timesMax` are out; how many were. */
  async function send(
    connection: FrameConnection,
    { next, perWrite = 10, timesMax, reads = true }: Flood,
  ): Promise<number> {
    if (!reads) connection.stopReading();
    let times = 0;
    while (times < timesMax && !connection.ended) {
      connection.write(
        ...Array.from({ length: perWrite }, () => {
          const time = times++;
          return next(time, 2 * time + 1);
        }),
      );
      await connection.flushed();
    }
    return times;
  }

  const whole = flag.endHeaders | flag.endStream;
  const setting = Buffer.concat([Buffer.from([0, 4]), number32(65_535)]);

  const attacks: readonly (readonly [what: string, flood: () => Flood])[] = [
    [
      'streams that are reset in the packet that opens them',
      () => ({
        next: (_time, stream) =>
          Buffer.concat([
            frame(frameType.headers, whole, stream, requests.get),
            frame(frameType.rstStream, 0, stream, number32(CANCEL)),
          ]),
        timesMax: 20_000,
      }),
    ],
    [
      'streams that are reset when the server has them',
      () => ({
        next: (time) =>
          frame(
            time % 2 === 0 ? frameType.headers : frameType.rstStream,
            time % 2 === 0 ? whole : 0,
            2 * (time >> 1) + 1,
            time % 2 === 0 ? requests.get : number32(CANCEL),
          ),
        perWrite: 1,
        timesMax: 40_000,
      }),
    ],
    [
      'watches that are reset',
      () => ({
        next: (_time, stream) =>
          Buffer.concat([
            frame(frameType.headers, whole, stream, requests.watch),
            frame(frameType.rstStream, 0, stream, number32(CANCEL)),
          ]),
        timesMax: 20_000,
      }),
    ],
    [
      'streams that the server has to reset: a window that grows by nothing',
      () => ({
        next: (_time, stream) =>
          Buffer.concat([
            frame(frameType.headers, flag.endHeaders, stream, requests.post),
            frame(frameType.windowUpdate, 0, stream, number32(0)),
          ]),
        timesMax: 20_000,
      }),
    ],
    [
      'streams that the server has to reset: a window beyond measure',
      () => ({
        next: (_time, stream) =>
          Buffer.concat([
            frame(frameType.headers, flag.endHeaders, stream, requests.post),
            frame(frameType.windowUpdate, 0, stream, number32(0x7fffffff)),
          ]),
        timesMax: 20_000,
      }),
    ],
    [
      'headers that go on and on',
      () => ({
        next: (time) =>
          time === 0
            ? frame(frameType.headers, 0, 1, requests.get)
            : frame(frameType.continuation, 0, 1, headerBlock([[`x-${time}`, 'y'.repeat(1000)]])),
        timesMax: 20_000,
      }),
    ],
    [
      'headers that go on with nothing',
      () => ({
        next: (time) =>
          time === 0 ? frame(frameType.headers, 0, 1, requests.get) : frame(frameType.continuation, 0, 1),
        timesMax: 20_000,
      }),
    ],
    [
      'data of no length',
      () => ({
        next: (time) =>
          time === 0 ? frame(frameType.headers, flag.endHeaders, 1, requests.post) : frame(frameType.data, 0, 1),
        perWrite: 100,
        timesMax: 100_000,
      }),
    ],
    [
      'pings whose answers stay unread',
      () => ({
        next: () => frame(frameType.ping, 0, 0, Buffer.alloc(8)),
        perWrite: 1000,
        timesMax: 3_000_000,
        reads: false,
      }),
    ],
    [
      'settings whose answers stay unread',
      () => ({
        next: () => frame(frameType.settings, 0, 0, setting),
        perWrite: 1000,
        timesMax: 3_000_000,
        reads: false,
      }),
    ],
    [
      'requests whose answers stay unread',
      () => ({
        next: (_time, stream) => frame(frameType.headers, whole, stream, requests.get),
        timesMax: 50_000,
        reads: false,
      }),
    ],
    [
      'data on a stream that is over',
      () => ({
        next: (time) =>
          time === 0 ? frame(frameType.headers, whole, 1, requests.get) : frame(frameType.data, 0, 1, Buffer.alloc(10)),
        timesMax: 20_000,
      }),
    ],
  ];
  for (const [what, flood] of attacks) {
    it(`ends who sends ${what}`, () =>
      whileServing(server, async () => {
        const connection = await FrameConnection.open(server.client.url);
        const settings = flood();
        const times = await send(connection, settings);
        // A client that reads nothing sees only the end of the connection.
        await connection.until(() => connection.ended);
        assert.ok(times < settings.timesMax, `${times} were taken`);
        connection.destroy();
      }));
  }

  const harmless: readonly (readonly [what: string, next: Flood['next']])[] = [
    ['pings', () => frame(frameType.ping, 0, 0, Buffer.alloc(8))],
    ['settings', () => frame(frameType.settings, 0, 0, setting)],
    [
      'priorities',
      (time) => frame(frameType.priority, 0, 2 * (time % 1000) + 1, Buffer.concat([number32(0), Buffer.from([1])])),
    ],
    ['windows', () => frame(frameType.windowUpdate, 0, 0, number32(1))],
    ['frames of no known type', () => frame(0xee, 0, 0, Buffer.alloc(100))],
  ];
  it('serves others, and the sender, amid frames without requests', () =>
    whileServing(server, async () => {
      for (const [what, next] of harmless) {
        const connection = await FrameConnection.open(server.client.url);
        await send(connection, { next, perWrite: 100, timesMax: 20_000 });
        connection.write(frame(frameType.headers, whole, 2001, requests.get));
        await connection.until(
          () =>
            connection.ended ||
            connection.received.some(({ type, stream }) => type === frameType.headers && stream === 2001),
          20_000,
        );
        assert.equal(connection.ended, false, what);
        connection.destroy();
      }
    }));

  it('leaves nothing behind', async () => {
    const { watches } = server.running.server;
    for (const deadline = Date.now() + 10_000; watches.size > 0 && Date.now() < deadline;) await pause(20);
    assert.equal(watches.size, 0);
  });
});
