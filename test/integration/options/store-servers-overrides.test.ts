import assert from 'node:assert/strict';
import { openStore } from '../../../pkg/storage/open-store.ts';
import { EtcdServer } from '../../fixtures/etcd-server.ts';
import { startTestServer, type TestServer } from '../../fixtures/test-server.ts';

/** Events and config maps on an etcd of their own. */
describe('--store-servers-overrides', () => {
  let main: EtcdServer;
  let other: EtcdServer;
  let server: TestServer;
  const prefix = '/elsewhere';
  const maps = '/api/v1/namespaces/default/configmaps';
  const event = (name: string): object => ({
    metadata: { name },
    involvedObject: { namespace: 'default', kind: 'Pod', name: 'p' },
    reason: 'R',
    type: 'Normal',
  });

  beforeEach(async () => {
    [main, other] = await Promise.all([EtcdServer.start(), EtcdServer.start()]);
    server = await startTestServer({
      etcd: main.url,
      args: [`--store-servers-overrides=/events#${other.url},/configmaps#${other.url}`, `--store-prefix=${prefix}`],
    });
  });
  afterEach(async () => {
    await server.stop();
    await Promise.all([main.stop(), other.stop()]);
  });

  async function keysIn(etcd: EtcdServer, below: string): Promise<string[]> {
    const store = await openStore({ backend: 'etcd3', servers: [etcd.url], prefix });
    try {
      return (await store.range(below)).items.map((item) => item.key);
    } finally {
      await store.close();
    }
  }

  it('puts the resources there, and nothing else', async () => {
    const { client } = server;
    assert.equal((await client.post(maps, { metadata: { name: 'm' }, data: { a: 'b' } })).status, 201);
    assert.equal((await client.post('/api/v1/namespaces/default/events', event('e'))).status, 201);
    assert.equal((await client.post('/api/v1/namespaces/default/secrets', { metadata: { name: 's' } })).status, 201);
    assert.deepEqual(await keysIn(other, ''), [
      'configmaps/default/m',
      'configmaps/kube-system/kube-apiserver-legacy-service-account-token-tracking',
      'events/default/e',
    ]);
    assert.deepEqual(
      [await keysIn(main, 'configmaps/'), await keysIn(main, 'secrets/default/')],
      [[], ['secrets/default/s']],
    );
    assert.deepEqual(server.errors, []);
  });

  it('reads, watches and lists in chunks by the revisions of each store', async () => {
    const { client } = server;
    // The stores' revisions are far apart.
    for (let i = 0; i < 20; i++)
      await client.post('/api/v1/namespaces/default/secrets', { metadata: { name: `s${i}` } });
    for (const name of ['a', 'b', 'c']) assert.equal((await client.post(maps, { metadata: { name } })).status, 201);
    const list = (await client.get(`${maps}?limit=2`)).json;
    assert.ok(
      Number(list.metadata.resourceVersion) <
        Number((await client.get('/api/v1/namespaces/default/secrets')).json.metadata.resourceVersion),
    );
    const watch = client.watch(`${maps}?watch=true&resourceVersion=${list.metadata.resourceVersion}`);
    const changed = (await client.patch(`${maps}/a`, 'merge', { data: { x: 'y' } })).json;
    const rest = (await client.get(`${maps}?limit=2&continue=${encodeURIComponent(list.metadata.continue)}`)).json;
    assert.deepEqual(
      [...list.items, ...rest.items].map((i: { metadata: { name: string }; data?: object }) => [
        i.metadata.name,
        i.data,
      ]),
      [
        ['a', undefined],
        ['b', undefined],
        ['c', undefined],
      ],
    );
    const [seen] = await watch.until((events) => events.length > 0);
    assert.deepEqual(
      [seen!.type, seen!.object.metadata.resourceVersion],
      ['MODIFIED', changed.metadata.resourceVersion],
    );
    watch.close();
    assert.deepEqual((await client.get(`${maps}/a`)).json.data, { x: 'y' });
    assert.deepEqual(server.errors, []);
  });

  it("is part of the server's health", async () => {
    assert.equal((await server.client.get('/healthz')).status, 200);
    await other.kill();
    assert.equal((await server.client.get('/healthz')).status, 500);
    assert.equal(
      (await server.client.post('/api/v1/namespaces/default/secrets', { metadata: { name: 'still' } })).status,
      201,
    );
    await other.restart();
    for (const deadline = Date.now() + 20_000; (await server.client.get('/readyz')).status !== 200;)
      assert.ok(Date.now() < deadline);
    assert.equal((await server.client.post(maps, { metadata: { name: 'again' } })).status, 201);
  });
});
