import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { ApiClient } from '../../fixtures/api-client.ts';
import { EtcdServer } from '../../fixtures/etcd-server.ts';
import { openStore } from '../../../pkg/storage/open-store.ts';
import { startTestServer, type TestServer } from '../../fixtures/test-server.ts';

/** Options that each change one thing that a client sees. */
describe('Options of the API', () => {
  let server: TestServer;
  afterEach(async () => {
    await server.stop();
    assert.deepEqual(server.errors, []);
  });

  const start = async (...args: string[]): Promise<void> => {
    server = await startTestServer({ args });
  };
  const maps = '/api/v1/namespaces/default/configmaps';
  const template = (spec: object): object => ({
    metadata: { name: 't' },
    template: { metadata: {}, spec: { containers: [{ name: 'c', image: 'i' }], ...spec } },
  });
  const templates = '/api/v1/namespaces/default/podtemplates';

  it('--event-ttl is the life of events', async () => {
    await start('--event-ttl=1s');
    const events = '/api/v1/namespaces/default/events';
    assert.equal(
      (await server.client.post(events, { metadata: { name: 'e' }, involvedObject: { namespace: 'default' } })).status,
      201,
    );
    for (const deadline = Date.now() + 15_000; (await server.client.get(`${events}/e`)).status !== 404;) {
      assert.ok(Date.now() < deadline);
      await sleep(100);
    }
  });

  for (const [given, finalizers] of [
    ['true', [['orphan'], ['foregroundDeletion']]],
    ['false', [undefined, undefined]],
  ] as const) {
    it(`--enable-garbage-collector=${given}: deletes that concern dependents ${given === 'true' ? 'wait for a collector' : 'leave nothing behind'}`, async () => {
      await start(`--enable-garbage-collector=${given}`);
      const left = [];
      for (const policy of ['Orphan', 'Foreground']) {
        assert.equal((await server.client.post(maps, { metadata: { name: policy.toLowerCase() } })).status, 201);
        assert.equal(
          (await server.client.delete(`${maps}/${policy.toLowerCase()}`, { propagationPolicy: policy })).status,
          200,
        );
        left.push((await server.client.get(`${maps}/${policy.toLowerCase()}`)).json.metadata.finalizers);
      }
      assert.deepEqual(left, finalizers);
    });
  }

  it('--delete-collection-workers deletes so many objects at once', async () => {
    await start('--delete-collection-workers=7');
    for (let i = 0; i < 30; i++) await server.client.post(maps, { metadata: { name: `m${i}` } });
    const { store } = server.running.server;
    let [running, most] = [0, 0];
    const commit = store.commit.bind(store);
    store.commit = async (key, options) => {
      most = Math.max(most, ++running);
      await sleep(2);
      return commit(key, options).finally(() => running--);
    };
    assert.equal((await server.client.delete(maps)).status, 200);
    assert.equal(most, 7);
    assert.equal((await server.client.get(maps)).json.items.length, 0);
  });

  it('--allow-privileged lets containers be privileged', async () => {
    const privileged = template({ containers: [{ name: 'c', image: 'i', securityContext: { privileged: true } }] });
    await start();
    const refused = await server.client.post(templates, privileged);
    assert.equal(refused.status, 422);
    assert.match(refused.json.message, /privileged: Forbidden: disallowed by cluster policy/);
    await server.stop();
    await start('--allow-privileged');
    assert.equal((await server.client.post(templates, privileged)).status, 201);
  });

  it('--external-hostname is the address that discovery tells', async () => {
    const told = async (): Promise<string> =>
      (await server.client.get('/api')).json.serverAddressByClientCIDRs[0].serverAddress;
    await start('--external-hostname=api.example.com');
    assert.equal(await told(), `api.example.com:${server.client.url.port}`);
    await server.stop();
    await start('--external-hostname=api.example.com:443');
    assert.equal(await told(), 'api.example.com:443');
  });

  it('--shutdown-delay-duration: the server goes on serving for so long, but not ready', async () => {
    await start('--shutdown-delay-duration=1s');
    const began = Date.now();
    const stopped = server.stop();
    // The client of the fixture closes with the server.
    const client = new ApiClient(server.running.url, server.running.token);
    while ((await client.get('/readyz')).status === 200) assert.ok(Date.now() < began + 1000);
    assert.equal((await client.get(maps)).status, 200);
    await stopped;
    assert.ok(Date.now() - began >= 1000);
    await assert.rejects(client.get('/readyz'));
    client.close();
    await start();
  });

  it('--feature-gates: a feature turned off by name takes its fields along', async () => {
    await start('--feature-gates=PodShareProcessNamespace=false,TokenRequest=false');
    const made = (await server.client.post(templates, template({ shareProcessNamespace: true, hostNetwork: true })))
      .json;
    assert.deepEqual([made.template.spec.shareProcessNamespace, made.template.spec.hostNetwork], [undefined, true]);
    const served = (await server.client.get('/api/v1')).json.resources.map((r: { name: string }) => r.name);
    assert.deepEqual([served.includes('serviceaccounts'), served.includes('serviceaccounts/token')], [true, false]);
    await server.stop();
    await start();
    assert.equal(
      (await server.client.post(templates, template({ shareProcessNamespace: true }))).json.template.spec
        .shareProcessNamespace,
      true,
    );
    assert.ok(
      (await server.client.get('/api/v1')).json.resources.some(
        (r: { name: string }) => r.name === 'serviceaccounts/token',
      ),
    );
  });

  it('--feature-gates: without APIListChunking lists are whole', async () => {
    await start('--feature-gates=APIListChunking=false');
    for (const name of ['a', 'b', 'c']) await server.client.post(maps, { metadata: { name } });
    const list = (await server.client.get(`${maps}?limit=1`)).json;
    assert.deepEqual([list.items.length, list.metadata.continue], [3, undefined]);
  });
});

describe('--store-prefix', () => {
  it('stands before every key of etcd', async () => {
    const etcd = await EtcdServer.start();
    const server = await startTestServer({ etcd: etcd.url, args: ['--store-prefix=/other/place'] });
    try {
      assert.equal(
        (await server.client.post('/api/v1/namespaces/default/configmaps', { metadata: { name: 'm' } })).status,
        201,
      );
      const keysBelow = async (prefix: string): Promise<string[]> => {
        const store = await openStore({ backend: 'etcd3', servers: [etcd.url], prefix });
        try {
          return (await store.range('configmaps/')).items.map((item) => item.key);
        } finally {
          await store.close();
        }
      };
      assert.deepEqual(
        [await keysBelow('/other/place'), await keysBelow('/registry')],
        [['configmaps/default/m', 'configmaps/kube-system/kube-apiserver-legacy-service-account-token-tracking'], []],
      );
    } finally {
      await server.stop();
      await etcd.stop();
    }
  });
});
