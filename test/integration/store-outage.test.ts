/** A server whose etcd is down for a while: it answers from its caches, refuses the rest, and recovers without help. */
import assert from 'node:assert/strict';
import type { Answer } from '../fixtures/api-client.ts';
import { EtcdServer } from '../fixtures/etcd-server.ts';
import { startTestServer, type TestServer } from '../fixtures/test-server.ts';

/** Far more than the server waits for its etcd. */
const timeoutMs = 60_000;
const maps = '/api/v1/namespaces/default/configmaps';

describe('a server whose etcd is gone', function () {
  this.timeout(120_000);
  let etcd: EtcdServer;
  let server: TestServer;
  let bearer: string;

  before(async () => {
    etcd = await EtcdServer.start();
    server = await startTestServer({ etcd: etcd.url, args: ['--authorization-mode=RBAC'] });
    const { client } = server;
    await client.post(maps, { metadata: { name: 'known' } });
    await client.post('/api/v1/namespaces/default/serviceaccounts', { metadata: { name: 'reader' } });
    await client.post('/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', {
      metadata: { name: 'reader' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' },
      subjects: [{ kind: 'ServiceAccount', name: 'reader', namespace: 'default' }],
    });
    bearer = (await client.post('/api/v1/namespaces/default/serviceaccounts/reader/token', {})).json.status.token;
  });
  after(async () => {
    await server.stop();
    await etcd.stop();
  });

  it('authenticates and authorizes, shows what it has, refuses the rest as temporary, and resumes its work', async () => {
    const { client } = server;
    const as = (path: string): Promise<Answer> =>
      client.send('GET', path, { headers: { authorization: `Bearer ${bearer}` } });
    const watch = client.watch(`${maps}?watch=1`);
    await watch.until((events) => events.some(({ object }) => object.metadata.name === 'known'));
    await etcd.kill();
    const [read, forbidden, unknown, ready, live, whole] = await Promise.all([
      as(`${maps}?resourceVersion=0`),
      as('/api/v1/secrets?resourceVersion=0'),
      client.send('GET', '/api', { headers: { authorization: 'Bearer nobody' } }),
      client.get('/readyz'),
      client.get('/livez'),
      Promise.all([
        client.send('GET', `${maps}/known`, { timeoutMs }),
        client.send('POST', maps, { timeoutMs, body: { metadata: { name: 'new' } } }),
        client.send('PUT', `${maps}/known`, { timeoutMs, body: { metadata: { name: 'known' }, data: { a: 'b' } } }),
      ]),
    ]);
    assert.deepEqual(
      [read.status, forbidden.status, unknown.status, ready.status, live.status],
      [200, 403, 401, 500, 500],
    );
    assert.match(ready.body.toString(), /\[-\]etcd failed/);
    for (const { status, headers, json } of whole)
      assert.deepEqual([status, json.reason, headers['retry-after']], [500, 'ServerTimeout', '1']);
    await etcd.restart();
    while ((await client.get('/readyz')).status !== 200);
    assert.equal((await client.patch(`${maps}/known`, 'merge', { data: { c: 'd' } })).status, 200);
    await watch.until((events) => events.some(({ object }) => object.data?.c === 'd'), 30_000);
    assert.deepEqual(
      watch.events.filter(({ object }) => object.metadata.name === 'known').map(({ type }) => type),
      ['ADDED', 'MODIFIED'],
      'the watch lost and repeated nothing',
    );
    assert.deepEqual(
      server.errors.filter((error) => !/^(health check etcd|kubernetes service)/.test(error)),
      [],
    );
    watch.close();
  });
});
