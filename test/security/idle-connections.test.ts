/**
 * Clients that never finish what they begin, or keep connections for nothing: each is sent away when its time is up,
 * while others are served.
 */
import assert from 'node:assert/strict';
import net from 'node:net';
import { startTestServer, type TestServer } from '../fixtures/test-server.ts';
import { whileServing } from './bystander.ts';
import { Http2Connection } from './http2-connection.ts';
import { flag, frame, FrameConnection, frameType, headerBlock } from './http2-frames.ts';
import { head, RawConnection } from './raw-connection.ts';

const maps = '/api/v1/namespaces/default/configmaps';
const timeouts = { handshakeMs: 5000, headersMs: 3000, requestMs: 4000, idleMs: 3000, checkMs: 200 };
const EACH = 20;
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** A connection as far as the tests look at it. */
interface Slow {
  readonly closed: boolean;
  /** Goes on, a little. */
  drip(): void;
}

describe('connections for nothing', function () {
  this.timeout(60_000);
  let server: TestServer;
  before(async () => {
    server = await startTestServer({ timeouts });
  });
  after(() => server.stop());

  const many = <T>(open: () => Promise<T>): Promise<T[]> => Promise.all(Array.from({ length: EACH }, open));

  /** Without TLS. */
  async function silent(): Promise<Slow> {
    const socket = net.connect(Number(server.client.url.port), server.client.url.hostname);
    socket.on('error', () => undefined);
    await new Promise((resolve) => void socket.once('connect', resolve));
    return {
      get closed() {
        return socket.destroyed;
      },
      drip: () => undefined,
    };
  }

  /** Over HTTP/1.1: a beginning, and then more of it now and again. */
  async function overHttp1(beginning: string, more: string): Promise<Slow & { readonly text: string }> {
    const connection = await RawConnection.open(server.client.url);
    connection.write(beginning);
    return {
      get closed() {
        return connection.closed;
      },
      get text() {
        return connection.received;
      },
      drip: () => connection.closed || connection.write(more),
    };
  }

  /** Over HTTP/2: a beginning, and then frames or bytes of one. */
  async function overHttp2(beginning: Buffer, more: Buffer): Promise<Slow> {
    const connection = await FrameConnection.open(server.client.url);
    connection.write(beginning);
    return {
      get closed() {
        return connection.closed;
      },
      drip: () => connection.write(more),
    };
  }

  async function untilClosed(connections: readonly Slow[], what: string): Promise<void> {
    for (const deadline = Date.now() + 18_000; connections.some(({ closed }) => !closed);) {
      assert.ok(Date.now() < deadline, `${what}: ${connections.filter(({ closed }) => !closed).length} are open`);
      for (const connection of connections) connection.drip();
      await pause(100);
    }
  }

  it('are ended before TLS, and before a request', () =>
    whileServing(server, async () => {
      const begun = head('GET', maps, server.client.token).slice(0, -4);
      const half = headerBlock([
        [':method', 'GET'],
        [':path', maps],
      ]);
      const kinds: readonly (readonly [what: string, open: () => Promise<Slow>])[] = [
        ['no TLS', silent],
        ['nothing over HTTP/1.1', () => overHttp1('', '')],
        ['headers over HTTP/1.1', () => overHttp1(begun, 'x')],
        [
          'a body over HTTP/1.1',
          () =>
            overHttp1(
              head('POST', maps, server.client.token, { 'content-type': 'application/json', 'content-length': '1000' }),
              'x',
            ),
        ],
        [
          'a first frame of headers',
          () =>
            overHttp2(
              Buffer.concat([frame(frameType.headers, flag.endHeaders, 1, Buffer.alloc(5000)).subarray(0, 9), half]),
              Buffer.from('x'),
            ),
        ],
        ['headers that do not end', () => overHttp2(frame(frameType.headers, 0, 1, half), Buffer.alloc(0))],
        ['pings alone', () => overHttp2(Buffer.alloc(0), frame(frameType.ping, 0, 0, Buffer.alloc(8)))],
      ];
      const opened = await Promise.all(kinds.map(async ([what, open]) => [what, await many(open)] as const));
      await Promise.all(opened.map(([what, connections]) => untilClosed(connections, what)));
    }));

  it('get an answer where HTTP/1.1 has one for it', async () => {
    const connection = await overHttp1(head('GET', maps, server.client.token).slice(0, -4), 'x');
    await untilClosed([connection], 'headers');
    assert.match(connection.text, /^HTTP\/1\.1 408 .*"message":"the request did not arrive in time"/s);
  });

  it('are ended after a request', () =>
    whileServing(server, async () => {
      const get = headerBlock([
        [':method', 'GET'],
        [':scheme', 'https'],
        [':path', '/version'],
        [':authority', 'x'],
        ['authorization', `Bearer ${server.client.token}`],
      ]);
      const whole = frame(frameType.headers, flag.endHeaders | flag.endStream, 1, get);
      const opened = await Promise.all([
        many(() => overHttp1(head('GET', '/version', server.client.token), '')),
        many(() => overHttp2(whole, Buffer.alloc(0))),
        many(() => overHttp2(whole, frame(frameType.ping, 0, 0, Buffer.alloc(8)))),
        // The beginning of a frame of headers, and more of it.
        many(() =>
          overHttp2(
            Buffer.concat([whole, frame(frameType.headers, flag.endHeaders, 3, Buffer.alloc(5000)).subarray(0, 9)]),
            get.subarray(0, 5),
          ),
        ),
      ]);
      await untilClosed(opened.flat(), 'idle');
    }));

  it('are not those of watches, however quiet', async () => {
    const selector = `${maps}?watch=true&labelSelector=quiet`;
    const [watch, over2] = [server.client.watch(selector), await Http2Connection.open(server)];
    let text = '';
    over2.request('GET', selector).on('data', (part: Buffer) => {
      text += part.toString();
    });
    await pause(2 * timeouts.idleMs + 2 * timeouts.checkMs);
    await server.client.post(maps, { metadata: { name: 'quiet', labels: { quiet: 'yes' } } });
    await watch.until((events) => events.length === 1);
    for (const deadline = Date.now() + 10_000; !text.includes('"quiet"') && Date.now() < deadline;) await pause(10);
    assert.match(text, /"type":"ADDED".*"quiet"/);
    watch.close();
    over2.close();
  });
});
