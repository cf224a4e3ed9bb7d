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

  it('gives ranges of IPv6 alone, in the sizes that are wanted', async () => {
    await start({ clusterCidrs: ['fd00:10::/60'], maskSizeIpv6: 62, serviceCidrs: ['10.0.0.0/12', 'fd00:10::/112'] });
    for (const name of ['a', 'b', 'c', 'd']) await create(name);
    const found = await Promise.all(['a', 'b', 'c', 'd'].map(rangesOf));
    assert.deepEqual(found, ['fd00:10:0:4::/62', 'fd00:10:0:8::/62', 'fd00:10:0:c::/62', '']);
  });

  it('leaves a node alone that comes with other ranges than those of the cluster', async () => {
    const podCIDRs = ['192.0.2.0/24', 'fd00:99::/64'];
    await start({ clusterCidrs: ['10.0.0.0/24'] });
    await create('other', { podCIDR: podCIDRs[0], podCIDRs });
    await create('a');
    await remove('other');
    await create('b');
    const found = await Promise.all(['a', 'b'].map(rangesOf));
    assert.deepEqual([found, fixture.errors], [['10.0.0.0/24', ''], []]);
  });

  it('reports a node for which nothing is left, and gives it what is released', async () => {
    await start({ clusterCidrs: ['10.0.0.0/23'] });
    for (const name of ['a', 'b', 'c']) await create(name);
    assert.equal(await rangesOf('c'), '');
    assert.deepEqual(await said(), ['cidrAllocator: Node c status is now: CIDRNotAvailable']);
    const [event] = (await fixture.client.list(events)).items;
    const { uid } = (await fixture.client.get(nodes, { name: 'c' })).metadata;
    assert.deepEqual(event!.involvedObject, { kind: 'Node', name: 'c', uid, apiVersion: 'v1' });
    assert.deepEqual([event!.type, event!.reason], ['Normal', 'CIDRNotAvailable']);
    await remove('a');
    assert.equal(await rangesOf('c'), '10.0.0.0/24');
    assert.deepEqual(fixture.errors, []);
  });

  it('gives nothing where one of two families is used up, and takes nothing of the other', async () => {
    await start({ clusterCidrs: ['10.0.0.0/16', 'fd00:10::/64'] });
    for (const name of ['a', 'b', 'c']) await create(name);
    assert.equal(await rangesOf('a'), '10.0.0.0/24 fd00:10::/64');
    assert.equal(await rangesOf('c'), '');
    await fixture.clock.advance(60_000);
    const taken = fixture.metrics.get('node_ipam_controller_cidrset_usage_cidrs');
    assert.deepEqual(Object.values(taken), [1 / 256, 1]);
  });

  it('gives a node that is being deleted nothing, and what it had to others', async () => {
    await start({ clusterCidrs: ['10.0.0.0/24'] });
    await fixture.client.create(nodes, {
      metadata: { name: 'a', finalizers: ['example.org/keep'] },
      spec: {},
      status: {} as Node['status'],
    });
    await fixture.clock.advance(0);
    await create('b');
    await remove('a');
    assert.deepEqual([await rangesOf('a'), await rangesOf('b')], ['10.0.0.0/24', '10.0.0.0/24']);
    await fixture.client.patch(nodes, { name: 'a' }, 'merge', { metadata: { finalizers: null } });
    await create('c');
    assert.equal(await rangesOf('c'), '', 'the end of a node frees nothing a second time');
  });

  it('gives no range to a node that comes as it goes', async () => {
    await fixture.client.create(nodes, {
      metadata: { name: 'a', finalizers: ['example.org/keep'] },
      spec: {},
      status: {} as Node['status'],
    });
    await fixture.client.delete(nodes, { name: 'a' });
    await start();
    assert.equal(await rangesOf('a'), '');
  });

  it('gives a new node of the name of an old one the next range', async () => {
    await start();
    await create('a');
    await fixture.client.delete(nodes, { name: 'a' });
    await create('a');
    assert.equal(await rangesOf('a'), '10.244.1.0/24');
  });

  it('writes three times before it reports a failure, and goes on with the same range', async () => {
    await start();
    const fail = (): void => fixture.client.failNext('patch', internalError('not now'));
    fail();
    fail();
    await create('a');
    assert.equal(await rangesOf('a'), '10.244.0.0/24');
    assert.deepEqual(await said(), []);
    for (let i = 0; i < 3; i++) fail();
    await create('b');
    await fixture.clock.advance(1000);
    assert.equal(await rangesOf('b'), '10.244.1.0/24');
    assert.deepEqual(await said(), ['cidrAllocator: Node b status is now: CIDRAssignmentFailed']);
  });

  it('divides a large range of IPv4 into more parts than one of IPv6', async () => {
    await start({ clusterCidrs: ['10.0.0.0/8'], maskSizeIpv4: 26, serviceCidrs: ['10.0.0.0/9'] });
    await create('a');
    assert.equal(await rangesOf('a'), '10.128.0.0/26');
  });

  it('measures what is taken, also by services and by the nodes that are there', async () => {
    await create('old', { podCIDR: '10.244.0.0/24', podCIDRs: ['10.244.0.0/24'] });
    await start({ serviceCidrs: ['10.244.2.0/23'] });
    await create('a');
    await create('b');
    await remove('a');
    const measured = fixture.metrics.get('node_ipam_controller_');
    const valueOf = (name: string): number | undefined =>
      measured[`node_ipam_controller_${name}{clusterCIDR="10.244.0.0/16"}`];
    assert.equal(await rangesOf('b'), '10.244.4.0/24');
    assert.equal(valueOf('cidrset_cidrs_allocations_total'), 5);
    assert.equal(valueOf('cidrset_cidrs_releases_total'), 1);
    assert.equal(valueOf('cidrset_allocation_tries_per_request_sum'), 3);
    assert.equal(valueOf('cidrset_usage_cidrs'), 4 / 256);
    assert.equal(valueOf('cirdset_max_cidrs'), 256);
  });

  it('does not start with ranges that make no sense, and is off without allocation', () => {
    const create = (settings: Partial<Settings>): unknown =>
      nodeIpamController.create(fixture.context, config(settings));
    const wrong: readonly (readonly [settings: Partial<Settings>, words: RegExp])[] = [
      [{ clusterCidrs: [] }, /must have one range/],
      [{ clusterCidrs: ['10.0.0.0'] }, /is no range/],
      [{ clusterCidrs: ['10.0.0.0/26'] }, /cannot be divided/],
      [{ clusterCidrs: ['fd00::/32'] }, /more than 16 bits/],
      [{ clusterCidrs: ['10.0.0.0/7'], maskSizeIpv4: 32 }, /more than 24 bits/],
      [{ clusterCidrs: ['10.0.0.0/16', '10.1.0.0/16'] }, /same family/],
    ];
    for (const [settings, words] of wrong) assert.throws(() => create(settings), words);
    assert.equal(create({ allocate: false }), undefined);
  });
});
