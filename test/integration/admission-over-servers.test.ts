import assert from 'node:assert/strict';
import { EtcdServer } from '../fixtures/etcd-server.ts';
import { startTestServer, type TestServer } from '../fixtures/test-server.ts';

/** What must hold whichever of several servers a request meets. */
describe('admission over three servers on one etcd', function () {
  this.timeout(60_000);
  let etcd: EtcdServer;
  let servers: TestServer[] = [];

  before(async () => {
    etcd = await EtcdServer.start();
    servers = await Promise.all(Array.from({ length: 3 }, () => startTestServer({ etcd: etcd.url })));
  });
  after(async () => {
    for (const server of servers) {
      await server.stop();
      assert.deepEqual(server.errors, []);
    }
    await etcd?.stop();
  });

  const [first, second] = [0, 1].map((i) => () => servers[i]!.client) as [
    () => TestServer['client'],
    () => TestServer['client'],
  ];

  it('gives out no amount of a quota twice', async () => {
    const path = '/api/v1/namespaces/shared';
    await first().post('/api/v1/namespaces', { metadata: { name: 'shared' } });
    await first().post(`${path}/resourcequotas`, {
      metadata: { name: 'q' },
      spec: { hard: { 'count/configmaps': '20' } },
    });
    // The other server has seen the quota when it shows it.
    assert.equal((await second().get(`${path}/resourcequotas/q`)).status, 200);
    const post = (name: string, i: number) =>
      (i % 2 === 0 ? first() : second()).post(`${path}/configmaps`, { metadata: { name } });
    const used = async () => (await second().get(`${path}/resourcequotas/q`)).json.status.used['count/configmaps'];
    // Fifteen names, each by both: of every two one is refused, and gives back what it was charged.
    const twins = await Promise.all(Array.from({ length: 30 }, (_, i) => post(`twin${i >> 1}`, i)));
    assert.equal(twins.filter(({ status }) => status === 201).length, Number(await used()));
    const answers = await Promise.all(Array.from({ length: 80 }, (_, i) => post(`m${i}`, i)));
    assert.ok(answers.every(({ status }) => status === 201 || status === 403));
    assert.equal((await first().get(`${path}/configmaps`)).json.items.length, 20);
    assert.equal(await used(), '20');
  });

  it('counts what was stored, and neither dry runs nor what was refused, on any server', async () => {
    const path = '/api/v1/namespaces/counted';
    const hard = { 'count/configmaps': '30', services: '8', 'services.nodeports': '3' };
    await first().post('/api/v1/namespaces', { metadata: { name: 'counted' } });
    for (const [name, bounds] of [
      ['narrow', hard],
      ['wide', { 'count/configmaps': '40' }],
    ] as const)
      assert.equal(
        (await first().post(`${path}/resourcequotas`, { metadata: { name }, spec: { hard: bounds } })).status,
        201,
      );
    for (const { client } of servers) assert.equal((await client.get(`${path}/resourcequotas`)).json.items.length, 2);
    const service = (i: number): object => ({
      metadata: { name: `s${i}` },
      spec: { type: i % 2 === 0 ? 'ClusterIP' : 'NodePort', ports: [{ port: 80 }] },
    });
    const kinds: ((i: number) => [target: string, body: object])[] = [
      (i) => ['configmaps', { metadata: { name: `m${i}` } }],
      (i) => ['configmaps', { metadata: { name: `twin${i % 4}` } }],
      (i) => ['configmaps', { metadata: { name: `bad${i}` }, data: { 'no key': '' } }],
      (i) => ['configmaps?dryRun=All', { metadata: { name: `dry${i}` } }],
      (i) => ['services', service(i)],
    ];
    const answers = await Promise.all(
      Array.from({ length: 150 }, (_, i) => {
        const [target, body] = kinds[i % kinds.length]!(i);
        return servers[i % servers.length]!.client.post(`${path}/${target}`, body);
      }),
    );
    assert.ok(answers.every(({ status }) => [201, 403, 409, 422].includes(status)));
    const countOf = async (resource: string, type?: string): Promise<string> =>
      String(
        (await second().get(`${path}/${resource}`)).json.items.filter(
          (item: any) => type === undefined || item.spec.type === type,
        ).length,
      );
    const counted = {
      'count/configmaps': await countOf('configmaps'),
      services: await countOf('services'),
      'services.nodeports': await countOf('services', 'NodePort'),
    };
    assert.deepEqual((await first().get(`${path}/resourcequotas/narrow`)).json.status, { hard, used: counted });
    assert.equal(
      (await first().get(`${path}/resourcequotas/wide`)).json.status.used['count/configmaps'],
      counted['count/configmaps'],
    );
    for (const [name, used] of Object.entries(counted))
      assert.ok(Number(used) > 0 && Number(used) <= Number(hard[name as keyof typeof hard]), name);
  });

  it('refuses objects in a namespace that another server has begun to delete, or that is gone', async () => {
    for (const name of ['ending-1', 'ending-2', 'ending-3']) {
      const path = `/api/v1/namespaces/${name}`;
      const create = (): Promise<number[]> =>
        Promise.all(
          servers.map(
            async ({ client }) => (await client.post(`${path}/configmaps`, { metadata: { generateName: 'm' } })).status,
          ),
        );
      await first().post('/api/v1/namespaces', { metadata: { name } });
      assert.deepEqual(await create(), [201, 201, 201], 'made by another server a moment ago');
      const { json } = await first().delete(path);
      // What another server shows to a consistent read it holds to.
      for (const { client } of servers) assert.equal((await client.get(path)).json.status.phase, 'Terminating');
      assert.deepEqual(await create(), [403, 403, 403]);
      assert.equal((await first().put(`${path}/finalize`, { ...json, spec: { finalizers: [] } })).status, 200);
      for (const { client } of servers) assert.equal((await client.get(path)).status, 404);
      assert.deepEqual(await create(), [404, 404, 404]);
    }
  });
});
