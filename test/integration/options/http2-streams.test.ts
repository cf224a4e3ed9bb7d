import assert from 'node:assert/strict';
import { UNAUTHENTICATED_STREAMS_MAX } from '../../../pkg/server/listener/listener-limits.ts';
import { startTestServer, type TestServer } from '../../fixtures/test-server.ts';
import { Http2Connection } from '../../security/http2-connection.ts';
import { flag, frame, FrameConnection, frameType, headerBlock } from '../../security/http2-frames.ts';

const maps = '/api/v1/namespaces/default/configmaps';
const REFUSED_STREAM = 7;
/** Setting SETTINGS_MAX_CONCURRENT_STREAMS (RFC 9113, 6.5.2). */
const MAX_CONCURRENT_STREAMS = 3;

describe('--http2-max-streams-per-connection', () => {
  let server: TestServer;
  afterEach(async () => {
    await server.stop();
    assert.deepEqual(server.errors, []);
  });

  /** The bounds that the server has sent so far, in their order. */
  function boundsSent({ received }: FrameConnection): number[] {
    return received
      .filter(({ type, flags }) => type === frameType.settings && flags === 0)
      .flatMap(({ payload }) => {
        const bounds: number[] = [];
        for (let i = 0; i < payload.length; i += 6)
          if (payload.readUInt16BE(i) === MAX_CONCURRENT_STREAMS) bounds.push(payload.readUInt32BE(i + 2));
        return bounds;
      });
  }

  async function connect(): Promise<FrameConnection> {
    const connection = await FrameConnection.open(server.client.url);
    await connection.until(() => connection.received.some(({ type }) => type === frameType.settings));
    return connection;
  }

  /** Opens watches, which stay open, on streams `from`, `from + 2` and so on. */
  function openWatches(connection: FrameConnection, from: number, count: number): void {
    const block = headerBlock([
      [':method', 'GET'],
      [':scheme', 'https'],
      [':path', `${maps}?watch=true`],
      [':authority', 'x'],
      ['authorization', `Bearer ${server.client.token}`],
    ]);
    connection.write(
      ...Array.from({ length: count }, (_, i) =>
        frame(frameType.headers, flag.endHeaders | flag.endStream, from + 2 * i, block),
      ),
    );
  }
  const answered = ({ received }: FrameConnection): number[] =>
    received.filter(({ type }) => type === frameType.headers).map(({ stream }) => stream);
  const refused = ({ received }: FrameConnection): number[] =>
    received
      .filter(({ type, payload }) => type === frameType.rstStream && payload.readUInt32BE() === REFUSED_STREAM)
      .map(({ stream }) => stream);

  it('is sent to clients, and refuses streams beyond it until one is over', async () => {
    server = await startTestServer({ args: ['--http2-max-streams-per-connection=4'] });
    const [connection, other] = await Promise.all([connect(), connect()]);
    assert.deepEqual(boundsSent(connection), [4]);
    openWatches(connection, 1, 6);
    await connection.until(() => answered(connection).length === 4 && refused(connection).length === 2);
    assert.deepEqual(
      [answered(connection), refused(connection)],
      [
        [1, 3, 5, 7],
        [9, 11],
      ],
    );
    assert.equal(server.running.server.watches.size, 4);
    // It is a bound of each connection, not of all.
    openWatches(other, 1, 4);
    await other.until(() => answered(other).length === 4);
    connection.write(frame(frameType.rstStream, 0, 3, Buffer.from([0, 0, 0, 8])));
    openWatches(connection, 13, 1);
    await connection.until(() => answered(connection).includes(13));
    connection.destroy();
    other.destroy();
  });

  it('ends connections of clients that say they know it, and do not keep to it', async () => {
    server = await startTestServer({ args: ['--http2-max-streams-per-connection=4'] });
    const connection = await connect();
    connection.write(frame(frameType.settings, flag.ack, 0));
    openWatches(connection, 1, 6);
    await connection.until(() => connection.ended);
    const { watches } = server.running.server;
    while (watches.size > 0) await new Promise((resolve) => setTimeout(resolve, 10));
    connection.destroy();
  });

  it('delays no client within it', async () => {
    server = await startTestServer({ args: ['--http2-max-streams-per-connection=4'] });
    const connection = await Http2Connection.open(server);
    // From then on the client limits itself.
    while (connection.session.remoteSettings.maxConcurrentStreams !== 4)
      await new Promise((resolve) => setTimeout(resolve, 1));
    const answers = await Promise.all(Array.from({ length: 100 }, () => connection.send('GET', maps)));
    assert.ok(answers.every(({ status }) => status === 200));
    connection.close();
  });

  it('is a thousand by default, and where it is 0, from the first authenticated request; a hundred until then', async () => {
    for (const args of [[], ['--http2-max-streams-per-connection=0']]) {
      server = await startTestServer({ args });
      const connection = await connect();
      assert.deepEqual(boundsSent(connection), [UNAUTHENTICATED_STREAMS_MAX]);
      openWatches(connection, 1, 1);
      await connection.until(() => boundsSent(connection).length === 2);
      assert.deepEqual(boundsSent(connection), [UNAUTHENTICATED_STREAMS_MAX, 1000]);
      connection.destroy();
      if (args.length === 0) await server.stop();
    }
  });
});
