import assert from 'node:assert/strict';
import { events, nodes } from '../../api/core/tokens.ts';
import { internalError } from '../../apimachinery/errors/status-error.ts';
import type { Node, NodeSpec } from '../../generated/types/core-v1.ts';
import type { ControllersConfig } from '../controllers-config.ts';
import { ControllersFixture } from '../controllers-testing.ts';
import { nodeIpamController } from './controller.ts';

type Settings = ControllersConfig['nodeIpam'];
const SETTINGS: Settings = {
  allocate: true,
  clusterCidrs: ['10.244.0.0/16'],
  serviceCidrs: [],
  maskSizeIpv4: 24,
  maskSizeIpv6: 64,
};

describe('the node IPAM controller', () => {
  let fixture: ControllersFixture;
  beforeEach(() => {
    fixture = new ControllersFixture();
  });
  afterEach(() => fixture.stop());

  const config = (settings: Partial<Settings>): ControllersConfig =>
    ({ nodeIpam: { ...SETTINGS, ...settings } }) as ControllersConfig;
  const start = (settings: Partial<Settings> = {}): Promise<void> =>
    fixture.start(nodeIpamController.create(fixture.context, config(settings))!);
  const create = async (name: string, spec: NodeSpec = {}): Promise<void> => {
    await fixture.client.create(nodes, { metadata: { name }, spec, status: {} as Node['status'] });
    await fixture.clock.advance(0);
  };
  const rangesOf = async (name: string): Promise<string> => {
    const { podCIDR, podCIDRs = [] } = (await fixture.client.get(nodes, { name })).spec;
    assert.equal(podCIDR, podCIDRs[0]);
    return podCIDRs.join(' ');
  };
  const remove = async (name: string): Promise<void> => {
    await fixture.client.delete(nodes, { name });
    await fixture.clock.advance(0);
  };
  const said = async (): Promise<string[]> => {
    await fixture.context.recorder('cidrAllocator').flush();
    const { items } = await fixture.client.list(events);
    return items.map(({ message, source }) => `${source?.component}: ${message}`);
  };

  it('gives each node a range that no other has, past those that are taken', async () => {
    await create('old', { podCIDR: '10.244.1.0/24', podCIDRs: ['10.244.1.0/24'] });
    await start();
    for (const name of ['a', 'b']) await create(name);
    assert.deepEqual([await rangesOf('a'), await rangesOf('b')], ['10.244.0.0/24', '10.244.2.0/24']);
    await create('own', { podCIDR: '10.244.3.0/24', podCIDRs: ['10.244.3.0/24'] });
    await create('c');
    assert.equal(await rangesOf('c'), '10.244.4.0/24');
    await remove('c');
    await create('d');
    assert.equal(await rangesOf('d'), '10.244.5.0/24');
    assert.deepEqual(fixture.errors, []);
  });

  it('gives both families, and leaves out the ranges of services', async () => {
    await start({
      clusterCidrs: ['10.0.0.0/22', 'fd00:10::/56'],
      serviceCidrs: ['10.0.0.128/25', '10.0.1.0/24', 'fd00:10::/112'],
    });
    await create('a');
    assert.equal(await rangesOf('a'), '10.0.2.0/24 fd00:10:0:1::/64');
  });

  it('reports a node for which nothing is left, and gives it what is released', async () => {
    await start({ clusterCidrs: ['10.0.0.0/23'] });
    for (const name of ['a', 'b', 'c']) await create(name);
    assert.equal(await rangesOf('c'), '');
    assert.deepEqual(await said(), ['cidrAllocator: Node c status is now: CIDRNotAvailable']);
    await remove('a');
    assert.equal(await rangesOf('c'), '10.0.0.0/24');
  });

  it('tries again with the same range where a write fails', async () => {
    await start();
    fixture.client.failNext('patch', internalError('not now'));
    await create('a');
    await fixture.clock.advance(1000);
    assert.equal(await rangesOf('a'), '10.244.0.0/24');
    assert.deepEqual(await said(), ['cidrAllocator: Node a status is now: CIDRAssignmentFailed']);
  });

  it('does not start with ranges that make no sense, and is off without allocation', () => {
    const create = (settings: Partial<Settings>): unknown =>
      nodeIpamController.create(fixture.context, config(settings));
    const wrong: readonly (readonly [settings: Partial<Settings>, words: RegExp])[] = [
      [{ clusterCidrs: [] }, /must have one range/],
      [{ clusterCidrs: ['10.0.0.0'] }, /is no range/],
      [{ clusterCidrs: ['10.0.0.0/26'] }, /cannot be divided/],
      [{ clusterCidrs: ['fd00::/32'] }, /more than 16 bits/],
      [{ clusterCidrs: ['10.0.0.0/16', '10.1.0.0/16'] }, /same family/],
    ];
    for (const [settings, words] of wrong) assert.throws(() => create(settings), words);
    assert.equal(create({ allocate: false }), undefined);
  });
});
