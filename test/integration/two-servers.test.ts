/**
 * Two API servers, processes of their own, on one etcd: what either acknowledged is in every consistent answer of both.
 */
import assert from 'node:assert/strict';
import { ApiClient, type WatchStream } from '../fixtures/api-client.ts';
import { startBinnacle, type BinnacleProcess } from '../fixtures/binnacle-process.ts';
import { EtcdServer } from '../fixtures/etcd-server.ts';
import { assertFailure, configMap, createConfigMaps, namesOf, without } from './on-each-store.ts';

const writes = 10_000;
const workers = 24;

describe('two servers on one etcd', function () {
  this.timeout(180_000);
  let etcd: EtcdServer;
  let servers: BinnacleProcess[] = [];
  let clients: ApiClient[] = [];
  let namespaces = 0;

  before(async () => {
    etcd = await EtcdServer.start();
    const args = [
      '--storage-backend=etcd3',
      `--store-servers=${etcd.url}`,
      '--service-cluster-ip-range=10.7.0.0/25',
      '--service-node-port-range=31000-31029',
    ];
    servers = await Promise.all([startBinnacle(args), startBinnacle(args)]);
    clients = servers.map((server) => new ApiClient(server.url, server.token));
  });

  after(async () => {
    for (const client of clients) client.close();
    await Promise.all(servers.map((server) => server.stop()));
    await etcd?.stop();
  });

  const [first, second] = [0, 1].map((i) => (): ApiClient => clients[i]!) as [() => ApiClient, () => ApiClient];

  async function namespace(): Promise<string> {
    const name = `two-${++namespaces}`;
    assert.equal((await first().post('/api/v1/namespaces', { metadata: { name } })).status, 201);
    return name;
  }

  it(`${writes} writes through one are at once in consistent reads of the other`, async () => {
    const spaces = await Promise.all(Array.from({ length: workers }, namespace));
    let written = 0;
    await Promise.all(
      spaces.map(async (space, worker) => {
        const path = `/api/v1/namespaces/${space}/configmaps`;
        const selector = encodeURIComponent('metadata.name=');
        // Of each object its life: created, updated seven times, deleted; read back as an object and as a list in turn.
        for (let turn = 0; written < writes; turn++) {
          written++;
          const name = `c-${Math.floor(turn / 9)}`;
          const step = turn % 9;
          const answer = await write(path, name, step, `${worker}-${turn}`);
          assert.ok(answer.status === 200 || answer.status === 201, answer.body.toString());
          if (step === 8) {
            if (turn % 2 === 0) assert.equal((await second().get(`${path}/${name}`)).status, 404, `${name} is gone`);
            else assert.deepEqual((await second().get(path)).json.items, []);
            continue;
          }
          const acknowledged = answer.json;
          if (turn % 2 === 0) assert.deepEqual((await second().get(`${path}/${name}`)).json, acknowledged);
          else {
            const list = (await second().get(turn % 3 === 0 ? `${path}?fieldSelector=${selector}${name}` : path)).json;
            assert.ok(Number(list.metadata.resourceVersion) >= Number(acknowledged.metadata.resourceVersion));
            assert.deepEqual(list.items, [without(acknowledged, 'kind', 'apiVersion')]);
          }
        }
      }),
    );
    assert.ok(written >= writes);
  });

  function write(path: string, name: string, step: number, value: string): Promise<any> {
    if (step === 0) return first().post(path, configMap(name, { value }));
    if (step === 8) return first().delete(`${path}/${name}`);
    return step % 2 === 0
      ? first().put(`${path}/${name}`, configMap(name, { value }))
      : first().patch(`${path}/${name}`, 'merge', { data: { value } });
  }

  it('a write through one is what the next one through the other changes', async () => {
    const path = `/api/v1/namespaces/${await namespace()}/configmaps`;
    await Promise.all(
      Array.from({ length: 20 }, async (_, i) => {
        const name = `hop-${i}`;
        let version: string = (await first().post(path, configMap(name, { value: '0' }))).json.metadata.resourceVersion;
        for (let hop = 1; hop <= 20; hop++) {
          const value = String(hop % 2);
          // With the version that the other server gave; or without one, back to what this server wrote before.
          const metadata = i % 2 === 0 ? { name, resourceVersion: version } : { name };
          const { status, json } = await clients[hop % 2]!.put(`${path}/${name}`, { metadata, data: { value } });
          assert.deepEqual([status, json.data], [200, { value }], JSON.stringify(json));
          assert.ok(Number(json.metadata.resourceVersion) > Number(version), 'it is written');
          version = json.metadata.resourceVersion;
        }
      }),
    );
  });

  it('watches on both see the same events in the same order', async () => {
    const path = `/api/v1/namespaces/${await namespace()}/configmaps`;
    const from = (await first().get(path)).json.metadata.resourceVersion;
    const watches = clients.flatMap((client) => [
      client.watch(`${path}?watch=1&resourceVersion=${from}`),
      client.watch(`${path}?watch=1&resourceVersion=${from}&labelSelector=kept%3Dyes`),
    ]);
    const perWorker = 40;
    await Promise.all(
      Array.from({ length: 12 }, async (_, worker) => {
        const name = `w-${worker}`;
        for (let i = 0; i < perWorker; i++) {
          const client = clients[(worker + i) % 2]!;
          const labels = { kept: i % 3 === 0 ? 'no' : 'yes' };
          const answer =
            i % 10 === 0
              ? await client.post(path, configMap(name, { i: String(i) }, labels))
              : i % 10 === 9
                ? await client.delete(`${path}/${name}`)
                : await client.patch(`${path}/${name}`, 'merge', { metadata: { labels }, data: { i: String(i) } });
          assert.ok(answer.status < 300, answer.body.toString());
        }
      }),
    );
    // A last event that every watch selects.
    assert.equal((await second().post(path, configMap('end', {}, { kept: 'yes' }))).status, 201);
    const seen = await Promise.all(
      watches.map((watch) => watch.until((events) => events.at(-1)?.object.metadata.name === 'end', 20_000)),
    );
    const order = (events: WatchStream['events']): string[] =>
      events.map(({ type, object }) => `${type} ${object.metadata.name} ${object.metadata.resourceVersion}`);
    assert.equal(seen[0]!.length, 12 * perWorker + 1);
    assert.deepEqual(order(seen[2]!), order(seen[0]!));
    assert.deepEqual(order(seen[3]!), order(seen[1]!));
    for (const events of seen) {
      const versions = events.map((event) => Number(event.object.metadata.resourceVersion));
      assert.ok(versions.every((version, i) => i === 0 || version > versions[i - 1]!));
    }
    for (const watch of watches) watch.close();
  });

  it('a watch through one goes on where a list through the other ended', async () => {
    const path = `/api/v1/namespaces/${await namespace()}/configmaps`;
    for (let round = 0; round < 100; round++) {
      const [writer, watcher] = [clients[round % 2]!, clients[(round + 1) % 2]!];
      const { resourceVersion } = (await writer.post(path, configMap(`r-${round}`))).json.metadata;
      const watch = watcher.watch(`${path}?watch=1&resourceVersion=${resourceVersion}`);
      const next = (await writer.patch(`${path}/r-${round}`, 'merge', { data: { k: 'v' } })).json;
      const [event] = await watch.until((events) => events.length > 0);
      assert.deepEqual(
        [event!.type, event!.object],
        ['MODIFIED', next],
        `round ${round}: what the client knew already does not come again`,
      );
      watch.close();
    }
  });

  it('of those who create one name at once one wins', async () => {
    const path = `/api/v1/namespaces/${await namespace()}/configmaps`;
    for (let round = 0; round < 30; round++) {
      const answers = await Promise.all(
        Array.from({ length: 8 }, (_, i) => clients[i % 2]!.post(path, configMap(`r-${round}`, { by: String(i) }))),
      );
      const winners = answers.flatMap((answer, i) => (answer.status === 201 ? [String(i)] : []));
      assert.equal(winners.length, 1, `round ${round}`);
      for (const answer of answers) if (answer.status !== 201) assertFailure(answer, 409, 'AlreadyExists');
      assert.equal((await second().get(`${path}/r-${round}`)).json.data.by, winners[0]);
    }
  });

  it('counters by compare-and-swap lose nothing', async () => {
    const path = `/api/v1/namespaces/${await namespace()}/configmaps`;
    await first().post(path, configMap('counter', { n: '0' }));
    const each = 25;
    await Promise.all(
      Array.from({ length: 8 }, async (_, worker) => {
        const client = clients[worker % 2]!;
        for (let done = 0; done < each;) {
          const read = (await client.get(`${path}/counter`)).json;
          const answer = await client.put(`${path}/counter`, { ...read, data: { n: String(Number(read.data.n) + 1) } });
          if (answer.status === 200) done++;
          else assertFailure(answer, 409, 'Conflict');
        }
      }),
    );
    assert.equal((await first().get(`${path}/counter`)).json.data.n, String(8 * each));
  });

  it('patches of one object through both are all in it', async () => {
    const path = `/api/v1/namespaces/${await namespace()}/configmaps`;
    await first().post(path, configMap('shared'));
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, i) =>
        clients[i % 2]!.patch(`${path}/shared`, 'strategic', { data: { [`k${i}`]: 'v' } }),
      ),
    );
    assert.deepEqual([...new Set(answers.map((answer) => answer.status))], [200]);
    assert.equal(Object.keys((await second().get(`${path}/shared`)).json.data).length, 60);
  });

  describe('services', () => {
    const service = (name: string, spec: object = {}): object => ({
      metadata: { name },
      spec: { ports: [{ port: 80 }], ...spec },
    });

    it('never share a cluster IP or a node port', async () => {
      const path = `/api/v1/namespaces/${await namespace()}/services`;
      const answers = await Promise.all(
        Array.from({ length: 50 }, (_, i) =>
          clients[i % 2]!.post(path, service(`s-${i}`, { type: i % 2 === 0 ? 'NodePort' : 'ClusterIP' })),
        ),
      );
      for (const answer of answers) assert.equal(answer.status, 201, answer.body.toString());
      const all = (await second().get('/api/v1/services')).json.items;
      const addresses = all.map((item: any) => item.spec.clusterIP);
      assert.equal(new Set(addresses).size, addresses.length);
      for (const address of addresses) assert.match(address, /^10\.7\.0\.\d+$/);
      const ports = all.flatMap((item: any) => item.spec.ports.flatMap((port: any) => port.nodePort ?? []));
      assert.equal(ports.length, 25);
      assert.equal(new Set(ports).size, 25);
      for (const port of ports) assert.ok(port >= 31_000 && port <= 31_029);
      assert.equal((await first().delete(path)).status, 200);
    });

    it('that ask for one address have one winner', async () => {
      const path = `/api/v1/namespaces/${await namespace()}/services`;
      for (const spec of [{ clusterIP: '10.7.0.9' }, { type: 'NodePort', ports: [{ port: 80, nodePort: 31_005 }] }]) {
        const answers = await Promise.all(
          Array.from({ length: 8 }, (_, i) => clients[i % 2]!.post(path, service(`t-${i}`, spec))),
        );
        assert.equal(answers.filter((answer) => answer.status === 201).length, 1);
        for (const answer of answers)
          if (answer.status !== 201)
            assertFailure(
              answer,
              422,
              'Invalid',
              /provided IP is already allocated|provided port is already allocated/,
            );
        assert.equal((await second().delete(path)).status, 200);
      }
    });

    it('get ports back that were released through the other', async () => {
      const path = `/api/v1/namespaces/${await namespace()}/services`;
      for (let round = 0; round < 3; round++) {
        const answers = await Promise.all(
          Array.from({ length: 36 }, (_, i) =>
            clients[i % 2]!.post(path, service(`u-${round}-${i}`, { type: 'NodePort' })),
          ),
        );
        const made = answers.filter((answer) => answer.status === 201);
        assert.equal(made.length, 30, 'as many as the range has');
        for (const answer of answers)
          if (answer.status !== 201) assert.match(answer.json.message, /range is full|failed to allocate a nodePort/);
        for (const answer of made)
          assert.equal((await clients[(round + 1) % 2]!.delete(`${path}/${answer.json.metadata.name}`)).status, 200);
      }
    });
  });

  it('a chunked list goes on at the other', async () => {
    const path = await createConfigMaps({ client: first() }, await namespace(), 'a', 25);
    const whole = (await first().get(path)).json;
    let token = '';
    const items: any[] = [];
    for (let turn = 0; ; turn++) {
      const list = (await clients[turn % 2]!.get(`${path}?limit=7&continue=${token}`)).json;
      assert.equal(list.metadata.resourceVersion, whole.metadata.resourceVersion);
      items.push(...list.items);
      token = list.metadata.continue ?? '';
      if (token === '') break;
      assert.equal(
        (await clients[(turn + 1) % 2]!.delete(`${path}/a-${String(24 - turn).padStart(3, '0')}`)).status,
        200,
      );
      assert.equal((await first().patch(`${path}/a-020`, 'merge', { data: { i: `turn ${turn}` } })).status, 200);
    }
    assert.deepEqual(items, whole.items);
  });

  it('kill -9 of one loses no acknowledged write', async () => {
    const space = await namespace();
    const path = `/api/v1/namespaces/${space}/configmaps`;
    const from = (await second().get(path)).json.metadata.resourceVersion;
    const watch = second().watch(`${path}?watch=1&resourceVersion=${from}`);
    const acknowledged = new Map<string, string>();
    let dead = false;
    let failures = 0;
    const writers = Array.from({ length: 8 }, async (_, worker) => {
      for (let i = 0; !dead; i++) {
        const name = `k-${worker}-${i}`;
        try {
          const answer = await first().post(path, configMap(name, { i: String(i) }));
          if (answer.status === 201) acknowledged.set(name, answer.json.metadata.resourceVersion);
        } catch {
          failures++;
          return;
        }
      }
    });
    while (acknowledged.size < 150) await new Promise((resolve) => setTimeout(resolve, 10));
    await servers[0]!.kill();
    dead = true;
    await Promise.all(writers);
    assert.ok(failures > 0, 'it was killed in the middle of writes');

    const list = (await second().get(path)).json;
    const found = new Map(list.items.map((item: any) => [item.metadata.name, item.metadata.resourceVersion]));
    for (const [name, version] of acknowledged) assert.equal(found.get(name), version, name);
    const events = await watch.until((seen) => seen.length >= list.items.length);
    assert.deepEqual(events.map((event) => event.object.metadata.name).sort(), namesOf(list).sort());
    watch.close();

    await servers[0]!.restart();
    assert.deepEqual((await first().get(path)).json.items, list.items);
    assert.equal((await first().post(path, configMap('after'))).status, 201);
    assert.equal((await second().get(`${path}/after`)).status, 200);
  });
});
