import assert from 'node:assert/strict';
import { nodes } from '../api/core/tokens.ts';
import { FakeClient } from '../client/testing/fake-client-testing.ts';
import type { Node } from '../generated/types/core-v1.ts';
import { setNodeFailed } from './fail-node.ts';

describe('setNodeFailed', () => {
  it('marks a simulated node, and takes the mark away', async () => {
    const client = new FakeClient();
    const own = { 'simulation.binnacle.io/node': 'true' };
    const create = (name: string, annotations: Record<string, string>): Promise<Node> =>
      client.create(nodes, { metadata: { name, annotations }, spec: {}, status: {} as Node['status'] });
    await create('a', own);
    await create('real', {});
    const annotations = async (): Promise<unknown> => (await client.get(nodes, { name: 'a' })).metadata.annotations;
    await setNodeFailed(client, 'a', true);
    assert.deepEqual(await annotations(), { ...own, 'simulation.binnacle.io/failed': 'true' });
    await setNodeFailed(client, 'a', false);
    assert.deepEqual(await annotations(), own);
    await assert.rejects(setNodeFailed(client, 'real', true), /not simulated/);
    await assert.rejects(setNodeFailed(client, 'none', true), /not found/);
  });
});
