/** What every part of a server does for a resource that is added while it runs. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { openStore } from '../../pkg/storage/open-store.ts';
import { CRON_TABS, cronTab, cronTabs, IMAGE, SCHEDULE } from '../fixtures/cron-tabs.ts';
import { EtcdServer } from '../fixtures/etcd-server.ts';
import { TcpProxy } from '../fixtures/tcp-proxy.ts';
import { startTestServer, type TestServer } from '../fixtures/test-server.ts';
import { until } from '../fixtures/until.ts';

const NAMESPACE = '/api/v1/namespaces/default';
const RBAC = '/apis/rbac.authorization.k8s.io/v1/namespaces/default';

for (const backend of ['embedded', 'etcd'] as const) {
  describe(`a resource that is added while the server runs (${backend})`, function () {
    this.timeout(60_000);
    let dir: string;
    let etcd: EtcdServer | undefined;
    let server: TestServer;
    const definition = cronTabs();

    before(async () => {
      dir = mkdtempSync(path.join(tmpdir(), 'binnacle-later-'));
      etcd = backend === 'etcd' ? await EtcdServer.start() : undefined;
      const secret = Buffer.alloc(32, 'k').toString('base64');
      const providers = [{ aesgcm: { keys: [{ name: 'a', secret }] } }];
      writeFileSync(
        path.join(dir, 'encryption.yaml'),
        JSON.stringify({
          apiVersion: 'apiserver.config.k8s.io/v1',
          kind: 'EncryptionConfiguration',
          resources: [{ resources: ['*.stable.example.com', 'secrets'], providers }],
        }),
      );
      await start();
    });
    after(async () => {
      await server.stop();
      await etcd?.stop();
      rmSync(dir, { recursive: true, force: true });
    });

    async function start(): Promise<void> {
      server = await startTestServer({
        dir,
        args: [`--experimental-encryption-provider-config=${path.join(dir, 'encryption.yaml')}`],
        ...(etcd === undefined ? {} : { etcd: etcd.url }),
      });
      await server.running.server.installer.add(definition);
    }

    it('is bounded by quotas of its number of objects', async () => {
      const quota = { metadata: { name: 'q' }, spec: { hard: { 'count/crontabs.stable.example.com': '1' } } };
      assert.equal((await server.client.post(`${NAMESPACE}/resourcequotas`, quota)).status, 201);
      assert.equal((await server.client.post(CRON_TABS, cronTab('one', { schedule: '1' }))).status, 201);
      const refused = await server.client.post(CRON_TABS, cronTab('two'));
      assert.equal(refused.status, 403);
      assert.match(
        refused.json.message,
        /exceeded quota: q, requested: count\/crontabs\.stable\.example\.com=1, used:/,
      );
      assert.deepEqual((await server.client.get(`${NAMESPACE}/resourcequotas/q`)).json.status.used, {
        'count/crontabs.stable.example.com': '1',
      });
    });

    it('is served to users with a role, and to no others', async () => {
      const asked = (): Promise<{ status: number }> =>
        server.client.get(CRON_TABS, { 'impersonate-user': 'jane', 'impersonate-group': 'devs' });
      assert.equal((await asked()).status, 403);
      const role = {
        metadata: { name: 'tabs' },
        rules: [{ apiGroups: ['stable.example.com'], resources: ['crontabs'], verbs: ['list'] }],
      };
      const binding = {
        metadata: { name: 'tabs' },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'tabs' },
        subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'jane' }],
      };
      assert.equal((await server.client.post(`${RBAC}/roles`, role)).status, 201);
      assert.equal((await server.client.post(`${RBAC}/rolebindings`, binding)).status, 201);
      assert.equal((await asked()).status, 200);
    });

    it('has labels of its own in metrics, until it is removed', async () => {
      const metrics = async (): Promise<string> => (await server.client.get('/metrics')).body.toString();
      const requests =
        /^apiserver_request_total\{[^}]*group="stable\.example\.com"[^}]*resource="crontabs"[^}]*verb="POST"/m;
      const objects = /^apiserver_storage_objects\{resource="crontabs\.stable\.example\.com"\} 1$/m;
      assert.match(await metrics(), requests);
      assert.match(
        await metrics(),
        /^etcd_requests_total\{[^}]*operation="create"[^}]*type="crontabs\.stable\.example\.com"/m,
      );
      assert.match(await metrics(), objects);
      const { installer } = server.running.server;
      await installer.remove(definition);
      assert.equal((await server.client.get(CRON_TABS)).status, 404);
      assert.doesNotMatch(await metrics(), /apiserver_storage_objects\{resource="crontabs/);
      await installer.add(definition);
      assert.match(await metrics(), objects);
    });

    it('never makes requests in flight fail with internal errors when it is added and removed', async () => {
      const { installer } = server.running.server;
      const other = cronTabs([SCHEDULE, IMAGE]);
      const merge = (name: string): Promise<{ status: number }> =>
        server.client.patch(`${CRON_TABS}/${name}`, 'merge', { spec: { schedule: String(Math.random()) } });
      const requests: readonly ((i: number) => Promise<{ status: number }>)[] = [
        () => server.client.get(CRON_TABS),
        () => server.client.get(`${CRON_TABS}?limit=1`, { accept: 'application/json;as=Table;g=meta.k8s.io;v=v1' }),
        () => server.client.get(`${CRON_TABS}/one`),
        () => merge('one'),
        (i) => server.client.put(`${CRON_TABS}/one`, cronTab('one', { schedule: String(i) })),
        (i) => server.client.post(`${CRON_TABS}?dryRun=All`, cronTab(`dry-${i}`)),
        () => server.client.get(`${CRON_TABS}?watch=1&timeoutSeconds=1`),
        () => server.client.delete(`${CRON_TABS}/absent`),
      ];
      let changing = true;
      const seen = new Set<number>();
      const clients = requests.map(async (request) => {
        for (let i = 0; changing; i++) seen.add((await request(i)).status);
      });
      for (let i = 0; i < 10; i++) {
        await installer.remove(definition);
        await installer.add(other);
        await installer.replace(other, definition);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      changing = false;
      await Promise.all(clients);
      // 403: the quota; 409: two writers; 422: an update without a version finds nothing any more.
      assert.deepEqual(
        [...seen].filter((status) => ![200, 201, 403, 404, 409, 410, 422].includes(status)),
        [],
      );
      assert.ok(seen.has(200) && seen.has(404), [...seen].join());
      assert.deepEqual(server.errors, []);
      assert.equal((await merge('one')).status, 200);
    });

    it('is encrypted at rest by the pattern of its group, and read again after a restart', async () => {
      const { schedule } = (await server.client.get(`${CRON_TABS}/one`)).json.spec;
      assert.deepEqual(server.errors, []);
      await server.stop();
      const store = await openStore(
        etcd === undefined
          ? { backend: 'embedded', dataDir: path.join(dir, 'store') }
          : { backend: 'etcd3', servers: [etcd.url], prefix: '/registry' },
      );
      try {
        const stored = (await store.get('stable.example.com/crontabs/default/one'))!;
        assert.match(Buffer.from(stored.value).toString('latin1'), /^k8s:enc:aesgcm:v1:a:/);
      } finally {
        await store.close();
      }
      await start();
      assert.equal((await server.client.get(`${CRON_TABS}/one`)).json.spec.schedule, schedule);
      assert.deepEqual(server.errors, []);
    });
  });
}

describe('a resource that is added while the connection to etcd breaks', function () {
  this.timeout(60_000);
  let etcd: EtcdServer;
  let proxy: TcpProxy;
  let server: TestServer;
  const definition = cronTabs();

  before(async () => {
    etcd = await EtcdServer.start();
    proxy = await TcpProxy.start(Number(new URL(etcd.url).port));
    server = await startTestServer({ etcd: `http://127.0.0.1:${proxy.port}` });
    await server.running.server.installer.add(definition);
    assert.equal((await server.client.post(CRON_TABS, cronTab('one', { schedule: '1' }))).status, 201);
    await server.running.server.installer.remove(definition);
  });
  after(async () => {
    await server.stop();
    await proxy.stop();
    await etcd.stop();
  });
  const followed = (): boolean => server.running.server.stores.ready;

  it('is not served where it could not be read, and can be added when etcd answers again', async () => {
    const { installer } = server.running.server;
    proxy.block();
    await assert.rejects(installer.add(definition));
    assert.equal((await server.client.get(CRON_TABS)).status, 404);
    proxy.unblock();
    await until(followed, 'a feed');
    await installer.add(definition);
    assert.deepEqual((await server.client.get(`${CRON_TABS}/one`)).json.spec, { schedule: '1' });
    await installer.remove(definition);
  });

  it('shows what others wrote while the feed was lost in the middle', async () => {
    const { installer } = server.running.server;
    proxy.delayAnswers(200);
    const adding = installer.add(definition).then(
      () => true,
      () => false,
    );
    await new Promise((resolve) => setTimeout(resolve, 100));
    proxy.cut();
    const store = await openStore({ backend: 'etcd3', servers: [etcd.url], prefix: '/registry' });
    const key = 'stable.example.com/crontabs/default/one';
    const known = (await store.get(key))!;
    const value = Buffer.from(Buffer.from(known.value).toString().replace('"schedule":"1"', '"schedule":"2"'));
    assert.equal((await store.commit(key, { expectRevision: known.modRevision, value })).ok, true);
    await store.close();
    proxy.delayAnswers(0);
    // A read that the cut has broken fails the addition; the objects are read again either way.
    if (!(await adding)) {
      await until(followed, 'a feed');
      await installer.add(definition);
    }
    const { json } = await server.client.get(`${CRON_TABS}/one`);
    assert.deepEqual(json.spec, { schedule: '2' });
  });
});
