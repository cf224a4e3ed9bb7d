import assert from 'node:assert/strict';
import { nodes } from '../../api/core/tokens.ts';
import type { NodeStatus } from '../../generated/types/core-v1.ts';
import type { ControllersConfig } from '../controllers-config.ts';
import { ControllersFixture } from '../controllers-testing.ts';
import { ttlController } from './controller.ts';

describe('the ttl controller', () => {
  let fixture: ControllersFixture;
  beforeEach(() => (fixture = new ControllersFixture()));
  afterEach(() => fixture.stop());

  it('annotates nodes by their number', async () => {
    const create = (i: number): Promise<unknown> =>
      fixture.client.create(nodes, { metadata: { name: `node-${i}` }, spec: {}, status: {} as NodeStatus });
    await create(0);
    await fixture.start(ttlController.create(fixture.context, {} as ControllersConfig)!);
    const ttl = async (name: string): Promise<string | undefined> =>
      (await fixture.client.get(nodes, { name })).metadata.annotations?.['node.alpha.kubernetes.io/ttl'];
    assert.equal(await ttl('node-0'), '0');
    for (let i = 1; i <= 100; i++) await create(i);
    await fixture.clock.advance(0);
    assert.equal(await ttl('node-100'), '15');
  });
});
