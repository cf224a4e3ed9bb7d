import assert from 'node:assert/strict';
import { startTestServer, type TestServer } from '../fixtures/test-server.ts';
import { whileServing } from './bystander.ts';
import { Http2Connection } from './http2-connection.ts';
import { head, RawConnection } from './raw-connection.ts';

const maps = '/api/v1/namespaces/default/configmaps';
const watchPath = `${maps}?watch=true&resourceVersion=0`;

describe('watches that break off', () => {
  let server: TestServer;

  before(async () => {
    server = await startTestServer();
  });
  after(() => server.stop());

  const open = (): number => server.running.server.watches.size;

  /** Waits until the server holds no more watches than `count`. */
  async function settled(count: number, timeoutMs = 10_000): Promise<void> {
    const deadline = Date.now() + timeoutMs;
    while (open() !== count) {
      if (Date.now() > deadline) assert.fail(`${open()} watches are left, ${count} expected`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  afterEach(() => settled(0));

  async function rawWatches(count: number, reading = true): Promise<RawConnection[]> {
    const connections = await Promise.all(
      Array.from({ length: count }, () => RawConnection.open(server.client.url, reading)),
    );
    for (const connection of connections) connection.write(head('GET', watchPath, server.client.token));
    return connections;
  }

  it('by a closed half leave nothing behind', () =>
    whileServing(server, async () => {
      const connections = await rawWatches(50);
      await settled(51);
      for (const connection of connections) connection.socket.end();
      await settled(1);
      for (const connection of connections) connection.destroy();
    }));

  it('by a reset leave nothing behind', () =>
    whileServing(server, async () => {
      const connections = await rawWatches(50);
      await settled(51);
      for (const connection of connections) connection.reset();
      await settled(1);
    }));

  it('before they begin leave nothing behind', () =>
    whileServing(server, async () => {
      for (let i = 0; i < 10; i++) {
        const connections = await rawWatches(10);
        for (const connection of connections) connection.reset();
      }
      await settled(1);
    }));

  it('in the middle of the initial objects leave nothing behind', () =>
    whileServing(server, async () => {
      for (let i = 0; i < 20; i++)
        await server.client.post(maps, { metadata: { name: `large-${i}` }, data: { k: 'x'.repeat(500_000) } });
      const connections = await rawWatches(10, false);
      await settled(11);
      for (const [i, connection] of connections.entries()) {
        if (i % 2 === 0) connection.reset();
        else connection.destroy();
      }
      await settled(1);
      const cut = await Http2Connection.open(server);
      const streams = Array.from({ length: 10 }, () => cut.request('GET', watchPath));
      await settled(11);
      for (const stream of streams) stream.close(8);
      await settled(1);
      cut.close();
      for (let i = 0; i < 20; i++) await server.client.delete(`${maps}/large-${i}`);
    }));

  it('over HTTP/2 by cancelled streams, and with their connection', () =>
    whileServing(server, async () => {
      const connection = await Http2Connection.open(server);
      const streams = Array.from({ length: 50 }, () => connection.request('GET', watchPath));
      await settled(51);
      for (const stream of streams.slice(0, 25)) stream.close(8);
      await settled(26);
      connection.close();
      await settled(1);
    }));

  it('of one that waits for a version that never comes', () =>
    whileServing(server, async () => {
      const connections = await Promise.all(Array.from({ length: 10 }, () => RawConnection.open(server.client.url)));
      for (const connection of connections)
        connection.write(head('GET', `${maps}?watch=true&resourceVersion=888888888`, server.client.token));
      await settled(11);
      for (const connection of connections) connection.reset();
      await settled(1);
    }));

  it('do not reach those that go on', () =>
    whileServing(server, async () => {
      const steady = server.client.watch(watchPath);
      for (let i = 0; i < 5; i++) {
        const connections = await rawWatches(20);
        await settled(22);
        await server.client.post(maps, { metadata: { name: `steady-${i}` } });
        for (const connection of connections) connection.reset();
        await server.client.delete(`${maps}/steady-${i}`);
      }
      const seen = await steady.until((events) =>
        events.some((e) => e.type === 'DELETED' && e.object.metadata.name === 'steady-4'),
      );
      const mine = seen
        .filter((e) => e.object.metadata.name.startsWith('steady-'))
        .map((e) => `${e.type} ${e.object.metadata.name}`);
      assert.deepEqual(mine, Array.from({ length: 5 }, (_, i) => [`ADDED steady-${i}`, `DELETED steady-${i}`]).flat());
      steady.close();
    }));
});
