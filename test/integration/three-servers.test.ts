/** Three API servers, separate processes, on one etcd: the cluster sees which of them are there. */
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ApiClient } from '../fixtures/api-client.ts';
import type { BinnacleProcess } from '../fixtures/binnacle-process.ts';
import { goneWithinMs, startThreeProcesses, type ThreeProcesses } from '../fixtures/three-processes.ts';

describe('three servers on one etcd', function () {
  this.timeout(180_000);
  let started: ThreeProcesses | undefined;
  let servers: BinnacleProcess[];
  let clients: ApiClient[];

  before(async () => {
    started = await startThreeProcesses();
    ({ servers, clients } = started);
  });
  after(() => started?.stop());

  async function shown(client: ApiClient): Promise<{ endpoints: string[]; slice: string[] }> {
    const { json: endpoints } = await client.get('/api/v1/namespaces/default/endpoints/kubernetes');
    const { json: slice } = await client.get('/apis/discovery.k8s.io/v1/namespaces/default/endpointslices/kubernetes');
    return {
      endpoints: (endpoints.subsets ?? []).flatMap((s: { addresses: { ip: string }[] }) =>
        s.addresses.map(({ ip }) => ip),
      ),
      slice: (slice.endpoints ?? []).flatMap((e: { addresses: string[] }) => e.addresses),
    };
  }

  async function untilShown(client: ApiClient, ips: readonly string[]): Promise<void> {
    const deadline = Date.now() + goneWithinMs;
    for (;;) {
      const now = await shown(client);
      if (Date.now() > deadline || (now.endpoints.join() === ips.join() && now.slice.join() === ips.join())) {
        assert.deepEqual(now, { endpoints: ips, slice: ips });
        return;
      }
      await sleep(200);
    }
  }

  it('all stand in the endpoints; one that is killed goes, and comes back with its server', async () => {
    await untilShown(clients[0]!, ['192.0.2.1', '192.0.2.2', '192.0.2.3']);
    await servers[1]!.kill();
    await untilShown(clients[0]!, ['192.0.2.1', '192.0.2.3']);
    await servers[1]!.restart();
    await untilShown(clients[2]!, ['192.0.2.1', '192.0.2.2', '192.0.2.3']);
  });

  it('one that is stopped goes at once', async () => {
    await servers.pop()!.stop();
    clients.pop()!.close();
    await untilShown(clients[0]!, ['192.0.2.1', '192.0.2.2']);
  });
});
