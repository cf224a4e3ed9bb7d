import assert from 'node:assert/strict';
import { leases } from '../api/coordination/tokens.ts';
import { nodes } from '../api/core/tokens.ts';
import { FakeClock } from '../apimachinery/clock-testing.ts';
import { FakeClient } from '../client/testing/fake-client-testing.ts';
import { FakeCluster } from '../client/testing/fake-cluster-testing.ts';
import type { Node } from '../generated/types/core-v1.ts';
import { NodeAgents } from './node-agent.ts';

describe('NodeAgents', () => {
  it('renew the leases of many nodes together, each within ten seconds', async () => {
    const clock = new FakeClock();
    const client = new FakeClient(new FakeCluster(clock));
    const options = { client, clock, address: '10.0.0.1', kubeletVersion: 'v1.36.0', port: async () => 10250 };
    const agents = new NodeAgents(options);
    const dueMs = new Set<number>();
    for (const name of ['one', 'two', 'three']) {
      const node: Node = await client.create(nodes, { metadata: { name }, spec: {}, status: {} as Node['status'] });
      const againMs = await agents.keep(node);
      assert.ok(againMs > 9000 && againMs <= 10_000, `${againMs} ms`);
      dueMs.add(clock.steadyMs() + againMs);
      await clock.advance(70);
    }
    assert.equal(dueMs.size, 1);
    assert.equal(client.cluster.all(leases).length, 3);
  });
});
