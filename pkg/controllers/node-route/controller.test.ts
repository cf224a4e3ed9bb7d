import assert from 'node:assert/strict';
import { events, nodes } from '../../api/core/tokens.ts';
import type { Node, NodeCondition } from '../../generated/types/core-v1.ts';
import type { ControllersConfig } from '../controllers-config.ts';
import { ControllersFixture } from '../controllers-testing.ts';
import type { Route } from '../providers/routes.ts';
import { SimulatedRoutes } from '../providers/simulated-routes-testing.ts';
import { nodeRouteController } from './controller.ts';

const PERIOD_MS = 10_000;
const CONFIG = {
  route: { configure: true, periodMs: PERIOD_MS },
  nodeIpam: { allocate: true, clusterCidrs: ['10.244.0.0/16', 'fd00::/48'] },
  clusterName: 'cluster',
} as unknown as ControllersConfig;

describe('the node route controller', () => {
  let fixture: ControllersFixture;
  let cloud: SimulatedRoutes;
  beforeEach(() => {
    fixture = new ControllersFixture();
    cloud = new SimulatedRoutes();
  });
  afterEach(() => fixture.stop());

  const start = (): Promise<void> => fixture.start(nodeRouteController(cloud).create(fixture.context, CONFIG)!);
  const create = (name: string, ...podCIDRs: string[]): Promise<Node> =>
    fixture.client.create(nodes, {
      metadata: { name },
      spec: { podCIDRs },
      status: { addresses: [{ type: 'InternalIP', address: '192.0.2.1' }] } as Node['status'],
    });
  const period = (): Promise<void> => fixture.clock.advance(PERIOD_MS);
  const conditionsOf = async (name: string): Promise<readonly NodeCondition[]> =>
    (await fixture.client.get(nodes, { name })).status.conditions ?? [];
  const condition = async (name: string): Promise<string> =>
    (await conditionsOf(name)).map(({ type, status, reason }) => `${type} ${status} ${reason}`).join();
  const routes = (): string[] => cloud.routes.map(({ node, cidr }) => `${node} ${cidr}`).sort();

  it('makes routes to nodes and reports that', async () => {
    await create('a', '10.244.0.0/24', 'fd00::/64');
    await create('none');
    await start();
    assert.deepEqual(routes(), ['a 10.244.0.0/24', 'a fd00::/64']);
    const now = fixture.cluster.now;
    assert.deepEqual(await conditionsOf('a'), [
      {
        type: 'NetworkUnavailable',
        status: 'False',
        reason: 'RouteCreated',
        message: 'RouteController created a route',
        lastHeartbeatTime: now,
        lastTransitionTime: now,
      },
    ]);
    assert.deepEqual(await conditionsOf('none'), []);
    const { uid } = (await fixture.client.get(nodes, { name: 'a' })).metadata;
    assert.ok(cloud.routes.every(({ name }) => name.startsWith(`${uid}-`)));
    const { length } = fixture.requests;
    await period();
    assert.equal(fixture.requests.length, length, 'nothing is written twice');
  });

  it('reports where a route cannot be made, and tries again', async () => {
    await create('a', '10.244.0.0/24', '10.244.1.0/24');
    cloud.failure = new Error('no more routes');
    await start();
    const [{ message, status } = { message: '', status: '' }] = await conditionsOf('a');
    assert.deepEqual([status, message], ['True', 'RouteController failed to create a route']);
    assert.equal(await condition('a'), 'NetworkUnavailable True NoRouteCreated');
    await fixture.context.recorder('route_controller').flush();
    const { uid } = (await fixture.client.get(nodes, { name: 'a' })).metadata;
    const [event] = (await fixture.client.list(events)).items;
    assert.equal(event?.message, `Could not create route ${uid} 10.244.0.0/24 for node a after 0s: no more routes`);
    assert.deepEqual([event.type, event.reason], ['Warning', 'FailedToCreateRoute']);
    assert.deepEqual(event.involvedObject, { kind: 'Node', name: 'a', uid: 'a' });
    cloud.failure = undefined;
    await period();
    assert.equal(await condition('a'), 'NetworkUnavailable False RouteCreated');
    assert.deepEqual(fixture.errors, []);
  });

  it('deletes routes of nodes that are gone, and of ranges that they do not have', async () => {
    await create('a', '10.244.0.0/24');
    cloud.routes = [
      { name: 'gone', node: 'gone', cidr: '10.244.9.0/24' },
      { name: 'nobody', node: '', cidr: '10.244.8.0/24' },
      { name: 'old', node: 'a', cidr: '10.244.7.0/24' },
      { name: 'hole', node: 'a', cidr: '10.244.0.0/24', blackhole: true },
    ];
    await start();
    await period();
    assert.deepEqual(routes(), ['a 10.244.0.0/24']);
    await fixture.client.delete(nodes, { name: 'a' });
    await period();
    assert.deepEqual(routes(), []);
  });

  it('leaves routes that are not of the ranges of the cluster', async () => {
    const others: Route[] = [
      { name: 'office', node: 'gone', cidr: '10.8.0.0/16' },
      { name: 'default', node: '', cidr: '0.0.0.0/0' },
      { name: 'ipv6', node: '', cidr: 'fd01::/64' },
      { name: 'broken', node: '', cidr: 'nothing' },
    ];
    cloud.routes = others;
    await start();
    assert.deepEqual(cloud.routes, others);
  });

  it('reports a node that has a route and no range any more', async () => {
    await create('a');
    cloud.routes = [{ name: 'old', node: 'a', cidr: '10.244.7.0/24' }];
    await start();
    assert.equal(await condition('a'), 'NetworkUnavailable True NoRouteCreated');
  });

  it('makes routes again where nodes get other addresses, if the cloud names addresses', async () => {
    await create('a', '10.244.0.0/24');
    cloud.hasAddresses = true;
    await start();
    await period();
    const addresses = [{ type: 'InternalIP', address: '192.0.2.2' }];
    await fixture.client.patch(nodes, { name: 'a' }, 'merge', { status: { addresses } }, { subresource: 'status' });
    const [before] = cloud.routes;
    await period();
    assert.deepEqual(cloud.routes[0]?.addresses, addresses);
    assert.notEqual(cloud.routes[0]?.name, before?.name);
    assert.equal(cloud.routes.length, 1);
  });

  it('changes no other condition of a node', async () => {
    await create('a', '10.244.0.0/24');
    const ready = { type: 'Ready', status: 'True', reason: 'KubeletReady' };
    fixture.client.before = async ({ verb }) => {
      if (verb !== 'patch') return;
      fixture.client.before = () => undefined;
      // What the informer does not show yet.
      await fixture.client.patch(
        nodes,
        { name: 'a' },
        'merge',
        { status: { conditions: [ready] } },
        { subresource: 'status' },
      );
    };
    await start();
    await period();
    const found = (await condition('a')).split(',').sort();
    assert.deepEqual(found, ['NetworkUnavailable False RouteCreated', 'Ready True KubeletReady']);
    assert.deepEqual(fixture.errors, []);
  });

  it('looks again after the next period where the cloud does not answer', async () => {
    await create('a', '10.244.0.0/24');
    let lists = 0;
    cloud.list = () => (lists++ === 0 ? Promise.reject(new Error('away')) : Promise.resolve(cloud.routes));
    await start();
    assert.deepEqual([lists, fixture.errors], [1, ['node-route-controller: away']]);
    await period();
    assert.deepEqual(routes(), ['a 10.244.0.0/24']);
  });

  it('is off without a provider', () => {
    assert.equal(nodeRouteController(undefined).create(fixture.context, CONFIG), undefined);
  });
});
