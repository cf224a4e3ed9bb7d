import assert from 'node:assert/strict';
import { startTestServer, type TestServer } from '../fixtures/test-server.ts';
import { whileServing } from './bystander.ts';
import { Http2Connection } from './http2-connection.ts';
import { head, RawConnection } from './raw-connection.ts';

const maps = '/api/v1/namespaces/default/configmaps';
const crowd = '/api/v1/namespaces/crowd/configmaps';
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

describe('slow clients', () => {
  let server: TestServer;

  before(async () => {
    server = await startTestServer();
  });
  after(() => server.stop());

  const connect = (count: number, reading = true) =>
    Promise.all(Array.from({ length: count }, () => RawConnection.open(server.client.url, reading)));

  it('that send a header a byte at a time delay no other', () =>
    whileServing(server, async () => {
      const connections = await connect(200);
      const request = head('GET', maps, server.client.token);
      for (let i = 0; i < 20; i++) {
        for (const connection of connections) connection.write(request[i]!);
        await pause(10);
      }
      // They are served in the end.
      connections[0]!.write(request.slice(20));
      assert.equal((await connections[0]!.until((text) => text.includes('\r\n\r\n'))).slice(0, 12), 'HTTP/1.1 200');
      for (const connection of connections) connection.destroy();
    }));

  it('that send a body a byte at a time delay no other', () =>
    whileServing(server, async () => {
      const connections = await connect(200);
      const body = JSON.stringify({ metadata: { name: 'slow' } });
      for (const connection of connections)
        connection.write(
          head('POST', maps, server.client.token, {
            'content-type': 'application/json',
            'content-length': String(body.length),
          }),
        );
      for (let i = 0; i < body.length - 1; i++) {
        for (const connection of connections) connection.write(body[i]!);
        await pause(5);
      }
      assert.equal((await server.client.get(`${maps}/slow`)).status, 404);
      connections[0]!.write(body.slice(-1));
      assert.equal((await connections[0]!.answer()).status, 201);
      const streaming = await Http2Connection.open(server);
      for (let i = 0; i < 100; i++)
        streaming.request('POST', maps, { 'content-type': 'application/json' }, false).write('{');
      assert.equal((await streaming.send('GET', `${maps}/slow`)).status, 200);
      streaming.close();
      for (const connection of connections) connection.destroy();
    }));

  it('that never read a 10 MB list delay no other, and use little memory', async () => {
    await server.client.post('/api/v1/namespaces', { metadata: { name: 'crowd' } });
    for (let i = 0; i < 20; i++)
      assert.equal(
        (await server.client.post(crowd, { metadata: { name: `m${i}` }, data: { k: 'x'.repeat(500_000) } })).status,
        201,
      );
    const list = await server.client.get(crowd);
    assert.ok(list.body.length > 10_000_000);
    const before = process.memoryUsage();
    await whileServing(server, async () => {
      const connections = await connect(50, false);
      for (const connection of connections) connection.write(head('GET', crowd, server.client.token));
      const streaming = await Http2Connection.open(server);
      const streams = Array.from({ length: 20 }, () => streaming.request('GET', crowd).pause());
      await pause(1000);
      const grown = process.memoryUsage().arrayBuffers - before.arrayBuffers;
      assert.ok(grown < 200_000_000, `70 readers of 10 MB hold ${grown} bytes`);
      assert.equal((await server.client.get(crowd)).json.items.length, 20);
      for (const stream of streams) stream.close();
      streaming.close();
      for (const connection of connections) connection.reset();
    });
  });

  it('that never read their watch are let go, and others see every event', async () => {
    const { watches } = server.running.server;
    const reading = server.client.watch(`${maps}?watch=true&resourceVersion=0&labelSelector=flood`);
    const silent = await connect(10, false);
    for (const connection of silent)
      connection.write(head('GET', `${maps}?watch=true&resourceVersion=0&labelSelector=flood`, server.client.token));
    const streaming = await Http2Connection.open(server);
    const stream = streaming.request('GET', `${maps}?watch=true&resourceVersion=0&labelSelector=flood`).pause();
    const events = 10_000;
    await whileServing(server, async () => {
      await writeQuickly(server, events, { flood: 'yes' }, 'x'.repeat(4000));
      const seen = await reading.until((all) => all.length >= events, 20_000);
      const versions = seen.map((e) => Number(e.object.metadata.resourceVersion));
      assert.deepEqual(
        versions,
        versions.toSorted((a, b) => a - b),
      );
      assert.equal(new Set(versions).size, events);
    });
    // Who does not read is ended; who does not even take that is cut off.
    const deadline = Date.now() + 10_000;
    while (watches.size > 1 && Date.now() < deadline) await pause(50);
    assert.equal(watches.size, 1);
    reading.close();
    for (const connection of silent) connection.destroy();
    stream.close();
    streaming.close();
    while (watches.size > 0 && Date.now() < deadline) await pause(20);
    assert.equal(watches.size, 0);
  });
});

/** Events as another server on the same store would cause them: a hundred objects, written again and again. */
async function writeQuickly(
  { client, running }: TestServer,
  events: number,
  labels: Record<string, string>,
  payload: string,
): Promise<void> {
  const first = await client.post(maps, { metadata: { name: 'flood-00', labels }, data: { payload } });
  assert.equal(first.status, 201);
  const { cacher, cache, keyOf } = storeParts(running.server.storeOf('configmaps'));
  await cacher.fresh();
  const pattern = cache.get(keyOf('flood-00'))!.value;
  const writers = 100;
  await Promise.all(
    Array.from({ length: writers }, async (_, w) => {
      const name = `flood-${String(w).padStart(2, '0')}`;
      const value = Buffer.from(pattern);
      for (let at = value.indexOf('flood-00'); at >= 0; at = value.indexOf('flood-00', at + 1)) value.write(name, at);
      let expectRevision = w === 0 ? cache.get(keyOf('flood-00'))!.revision : 0;
      for (let i = w === 0 ? 1 : 0; i < events / writers; i++) {
        const result = await cacher.store.commit(keyOf(name), { expectRevision, value });
        assert.ok(result.ok);
        expectRevision = result.revision;
      }
    }),
  );
}

function storeParts(store: ReturnType<TestServer['running']['server']['storeOf']>) {
  return { cacher: store.cacher, cache: store.cache, keyOf: (name: string) => store.keyOf('default', name) };
}
