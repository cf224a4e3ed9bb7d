import assert from 'node:assert/strict';
import { EtcdServer } from '../fixtures/etcd-server.ts';
import { startTestServer, type TestServer } from '../fixtures/test-server.ts';

/** What must hold whichever of several servers a request meets. */
describe('admission over two servers on one etcd', function () {
  this.timeout(60_000);
  let etcd: EtcdServer;
  let servers: TestServer[] = [];

  before(async () => {
    etcd = await EtcdServer.start();
    servers = await Promise.all([startTestServer({ etcd: etcd.url }), startTestServer({ etcd: etcd.url })]);
  });
  after(async () => {
    for (const server of servers) {
      await server.stop();
      assert.deepEqual(server.errors, []);
    }
    await etcd?.stop();
  });

  const [first, second] = [0, 1].map((i) => () => servers[i]!.client) as [() => TestServer['client'], () => TestServer['client']];

  it('gives out no amount of a quota twice', async () => {
    const path = '/api/v1/namespaces/shared';
    await first().post('/api/v1/namespaces', { metadata: { name: 'shared' } });
    await first().post(`${path}/resourcequotas`, { metadata: { name: 'q' }, spec: { hard: { 'count/configmaps': '20' } } });
    // The other server has heard of the quota once it shows it.
    assert.equal((await second().get(`${path}/resourcequotas/q`)).status, 200);
    const post = (name: string, i: number) => (i % 2 === 0 ? first() : second()).post(`${path}/configmaps`, { metadata: { name } });
    const used = async () => (await second().get(`${path}/resourcequotas/q`)).json.status.used['count/configmaps'];
    // Fifteen names, each by both: of every two one is refused, and gives back what it was charged.
    const twins = await Promise.all(Array.from({ length: 30 }, (_, i) => post(`twin${i >> 1}`, i)));
    assert.equal(twins.filter(({ status }) => status === 201).length, Number(await used()));
    const answers = await Promise.all(Array.from({ length: 80 }, (_, i) => post(`m${i}`, i)));
    assert.ok(answers.every(({ status }) => status === 201 || status === 403));
    assert.equal((await first().get(`${path}/configmaps`)).json.items.length, 20);
    assert.equal(await used(), '20');
  });
});
