import assert from 'node:assert/strict';
import { events, nodes } from '../../api/core/tokens.ts';
import type { Node } from '../../generated/types/core-v1.ts';
import type { ControllersConfig } from '../controllers-config.ts';
import { ControllersFixture } from '../controllers-testing.ts';
import type { Route, RouteProvider } from '../providers/routes.ts';
import { nodeRouteController } from './controller.ts';

const CONFIG = {
  route: { configure: true, periodMs: 10_000 },
  nodeIpam: { allocate: true },
  clusterName: 'cluster',
} as ControllersConfig;

/** A cloud that keeps routes in memory. */
class SimulatedRoutes implements RouteProvider {
  routes: Route[] = [{ name: 'old', node: 'gone', cidr: '10.244.9.0/24' }];
  isFull = false;

  async list(): Promise<readonly Route[]> {
    return this.routes;
  }

  async create(_: string, nameHint: string, route: Route): Promise<void> {
    if (this.isFull) throw new Error('no more routes');
    this.routes = [...this.routes, { ...route, name: nameHint }];
  }

  async delete(_: string, { name }: Route): Promise<void> {
    this.routes = this.routes.filter((route) => route.name !== name);
  }
}

describe('the node route controller', () => {
  const fixture = new ControllersFixture();
  const cloud = new SimulatedRoutes();
  after(() => fixture.stop());

  const create = (name: string, ...podCIDRs: string[]): Promise<Node> =>
    fixture.client.create(nodes, { metadata: { name }, spec: { podCIDRs }, status: {} as Node['status'] });
  const condition = async (name: string): Promise<string | undefined> => {
    const { conditions = [] } = (await fixture.client.get(nodes, { name })).status;
    return conditions.map(({ type, status, reason }) => `${type} ${status} ${reason}`).join();
  };
  const routes = (): string[] => cloud.routes.map(({ node, cidr }) => `${node} ${cidr}`);

  it('makes routes to nodes, says so, and takes old ones away', async () => {
    await create('a', '10.244.0.0/24', 'fd00::/64');
    await create('none');
    await fixture.start(nodeRouteController(cloud).create(fixture.context, CONFIG)!);
    assert.deepEqual(routes(), ['a 10.244.0.0/24', 'a fd00::/64']);
    assert.equal(await condition('a'), 'NetworkUnavailable False RouteCreated');
    assert.equal(await condition('none'), '');
  });

  it('says where a route cannot be made, and tries again', async () => {
    cloud.isFull = true;
    await create('b', '10.244.1.0/24');
    await fixture.clock.advance(10_000);
    assert.equal(await condition('b'), 'NetworkUnavailable True NoRouteCreated');
    await fixture.context.recorder('route_controller').flush();
    const [event] = (await fixture.client.list(events)).items;
    assert.equal(event?.message, 'Could not create route 10.244.1.0/24 for node b: no more routes');
    cloud.isFull = false;
    await fixture.clock.advance(10_000);
    assert.equal(await condition('b'), 'NetworkUnavailable False RouteCreated');
    await fixture.client.delete(nodes, { name: 'a' });
    await fixture.clock.advance(10_000);
    assert.deepEqual(routes(), ['b 10.244.1.0/24']);
    assert.deepEqual(fixture.errors, []);
  });

  it('is off without a provider', () => {
    assert.equal(nodeRouteController(undefined).create(fixture.context, CONFIG), undefined);
  });
});
