/** Three servers, processes of their own, on one etcd, of which one hangs or is killed in the middle of its work. */
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer, ApiClient } from '../fixtures/api-client.ts';
import type { BinnacleProcess } from '../fixtures/binnacle-process.ts';
import { goneWithinMs, startThreeProcesses, type ThreeProcesses } from '../fixtures/three-processes.ts';

const hard = 60;
const lanesPerServer = 4;
/** For the restarts, on a busy machine. */
const slackMs = 30_000;

describe('several servers, one of which fails', function () {
  this.timeout(240_000);
  let started: ThreeProcesses | undefined;
  let servers: BinnacleProcess[];
  let clients: ApiClient[];

  before(async () => {
    started = await startThreeProcesses(['--service-cluster-ip-range=10.7.0.0/22']);
    ({ servers, clients } = started);
  });
  after(() => started?.stop());

  async function untilEndpointsAre(client: ApiClient, ips: readonly string[]): Promise<void> {
    const deadline = Date.now() + goneWithinMs;
    for (;;) {
      const { json } = await client.get('/api/v1/namespaces/default/endpoints/kubernetes');
      const now = (json.subsets ?? []).flatMap((subset: { addresses: { ip: string }[] }) =>
        subset.addresses.map(({ ip }) => ip),
      );
      if (Date.now() > deadline || now.join() === ips.join()) return assert.deepEqual(now, ips);
      await sleep(200);
    }
  }

  /**
   * Creates objects through all servers at once until `done`; resolves with the names that were acknowledged. Requests
   * to a server that is gone count for nothing.
   */
  async function createUntil(
    done: () => boolean,
    path: string,
    object: (name: string) => object,
    onRefusal: (answer: Answer) => void,
  ): Promise<Set<string>> {
    const made = new Set<string>();
    await Promise.all(
      clients.flatMap((client, server) =>
        Array.from({ length: lanesPerServer }, async (_, lane) => {
          for (let i = 0; i === 0 || !done(); i++) {
            const name = `x-${server}-${lane}-${i}`;
            const answer = await client.post(path, object(name)).catch(() => undefined);
            if (answer === undefined) return;
            if (answer.status === 201) made.add(name);
            else onRefusal(answer);
          }
        }),
      ),
    );
    return made;
  }

  it('one that hangs leaves the endpoints; once it goes on it is back, and shows what it missed', async () => {
    await untilEndpointsAre(clients[0]!, ['192.0.2.1', '192.0.2.2', '192.0.2.3']);
    const watch = clients[1]!.watch('/api/v1/namespaces/default/configmaps?watch=1');
    await watch.until(() => watch.status === 200);
    process.kill(servers[1]!.pid, 'SIGSTOP');
    try {
      await untilEndpointsAre(clients[0]!, ['192.0.2.1', '192.0.2.3']);
      assert.equal(
        (await clients[2]!.post('/api/v1/namespaces/default/configmaps', { metadata: { name: 'missed' } })).status,
        201,
      );
    } finally {
      process.kill(servers[1]!.pid, 'SIGCONT');
    }
    assert.equal((await clients[1]!.get('/api/v1/namespaces/default/configmaps/missed')).status, 200);
    await watch.until((events) => events.some(({ object }) => object.metadata.name === 'missed'));
    watch.close();
    await untilEndpointsAre(clients[0]!, ['192.0.2.1', '192.0.2.2', '192.0.2.3']);
  });

  it('one that is killed while services are made leaves no address to two of them, and none that is acknowledged out', async () => {
    const path = '/api/v1/namespaces/default/services';
    let isOver = false;
    const creating = createUntil(
      () => isOver,
      path,
      (name) => ({ metadata: { name }, spec: { type: 'NodePort', ports: [{ port: 80 }] } }),
      ({ status, body }) => assert.fail(`${status} ${body.toString()}`),
    );
    await sleep(500);
    await servers[1]!.kill();
    await sleep(300);
    isOver = true;
    const made = await creating;
    await servers[1]!.restart();
    const { items } = (await clients[1]!.get('/api/v1/services')).json;
    const names = new Set(items.map(({ metadata }: { metadata: { name: string } }) => metadata.name));
    assert.ok(made.size > 0 && [...made].every((name) => names.has(name)));
    const ips = items.map(({ spec }: { spec: { clusterIP: string } }) => spec.clusterIP);
    const ports = items.flatMap(({ spec }: { spec: { ports: { nodePort?: number }[] } }) =>
      spec.ports.flatMap(({ nodePort }) => nodePort ?? []),
    );
    assert.deepEqual([new Set(ips).size, new Set(ports).size], [ips.length, ports.length]);
  });

  it('one that is killed while services are created and deleted leaves no leaked address, a minute later', async () => {
    const path = '/api/v1/namespaces/default/services';
    let isOver = false;
    const churn = clients.flatMap((client, server) =>
      Array.from({ length: lanesPerServer }, async (_, lane) => {
        for (let i = 0; !isOver; i++) {
          const name = `churn-${server}-${lane}-${i}`;
          try {
            await client.post(path, { metadata: { name }, spec: { type: 'NodePort', ports: [{ port: 80 }] } });
            await client.delete(`${path}/${name}`);
          } catch {
            // The server is gone, and the request with it.
            return;
          }
        }
      }),
    );
    await sleep(500);
    for (const i of [1, 2]) {
      await servers[i]!.kill();
      await sleep(200);
    }
    isOver = true;
    await Promise.all(churn);
    const killedMs = performance.now();
    await Promise.all([servers[1]!.restart(), servers[2]!.restart()]);
    for (;;) {
      const held = (await clients[1]!.get('/api/v1/services')).json.items
        .map(({ spec }: { spec: { clusterIP: string } }) => spec.clusterIP)
        .sort();
      const taken = (await clients[1]!.get('/apis/networking.k8s.io/v1/ipaddresses')).json.items
        .map(({ metadata }: { metadata: { name: string } }) => metadata.name)
        .sort();
      if (taken.join() === held.join()) break;
      assert.ok(
        performance.now() - killedMs < 60_000 + slackMs,
        `taken without a service: ${taken.filter((ip: string) => !held.includes(ip)).join()}`,
      );
      await sleep(500);
    }
  });

  it('one that is killed while a quota is used up gives nothing out twice', async () => {
    const path = '/api/v1/namespaces/bounded';
    await clients[0]!.post('/api/v1/namespaces', { metadata: { name: 'bounded' } });
    await clients[0]!.post(`${path}/resourcequotas`, {
      metadata: { name: 'q' },
      spec: { hard: { 'count/configmaps': String(hard) } },
    });
    let refusals = 0;
    const creating = createUntil(
      () => refusals > 0,
      `${path}/configmaps`,
      (name) => ({ metadata: { name } }),
      ({ status }) => {
        assert.equal(status, 403);
        refusals++;
      },
    );
    await sleep(100);
    await servers[1]!.kill();
    const made = await creating;
    await servers[1]!.restart();
    const { length } = (await clients[1]!.get(`${path}/configmaps`)).json.items;
    const used = Number((await clients[0]!.get(`${path}/resourcequotas/q`)).json.status.used['count/configmaps']);
    // What the killed server had charged and not made stays charged: each of its lanes may have had one of them.
    assert.ok(
      made.size <= length && length <= used && used <= hard && used - length <= lanesPerServer,
      `${made.size} acknowledged, ${length} there, ${used} counted`,
    );
  });
});
