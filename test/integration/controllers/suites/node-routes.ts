import assert from 'node:assert/strict';
import { events, nodes } from '../../../../pkg/api/core/tokens.ts';
import type { ControllersConfig } from '../../../../pkg/controllers/controllers-config.ts';
import { nodeRouteController } from '../../../../pkg/controllers/node-route/controller.ts';
import { SimulatedRoutes } from '../../../../pkg/controllers/providers/simulated-routes-testing.ts';
import type { NodeCondition } from '../../../../pkg/generated/types/core-v1.ts';
import { until } from '../../../fixtures/until.ts';
import type { ControllerSuite } from '../controller-suite.ts';

const NODE = 'routed';
const CONFIG = {
  route: { configure: true, periodMs: 100 },
  nodeIpam: { allocate: true, clusterCidrs: ['10.244.0.0/16'] },
  clusterName: 'cluster',
} as unknown as ControllersConfig;

export const nodeRoutes: ControllerSuite = {
  name: 'routes to nodes',
  define(host) {
    let cloud: SimulatedRoutes;
    beforeEach(async () => {
      cloud = new SimulatedRoutes();
      const spec = { podCIDR: '10.244.7.0/24', podCIDRs: ['10.244.7.0/24'] };
      await host.client.create(nodes, { metadata: { name: NODE }, spec, status: {} } as never);
    });
    afterEach(() => host.client.delete(nodes, { name: NODE }));

    const start = (): Promise<unknown> => host.start((context) => nodeRouteController(cloud).create(context, CONFIG)!);
    const condition = async (): Promise<NodeCondition | undefined> =>
      (await host.client.get(nodes, { name: NODE })).status.conditions?.find(
        ({ type }) => type === 'NetworkUnavailable',
      );
    const isReported = (reason: string): Promise<void> =>
      until(async () => (await condition())?.reason === reason, reason);
    const routed = (): readonly string[] => cloud.routes.map(({ node, cidr }) => `${node} ${cidr}`);

    it('are made, reported beside what others report, and deleted with their node', async () => {
      await host.client.patch(
        nodes,
        { name: NODE },
        'strategic',
        { status: { conditions: [{ type: 'Ready', status: 'True', reason: 'KubeletReady' }] } },
        { subresource: 'status' },
      );
      await start();
      await isReported('RouteCreated');
      assert.equal((await condition())!.status, 'False');
      const { conditions = [] } = (await host.client.get(nodes, { name: NODE })).status;
      assert.deepEqual(conditions.map(({ type }) => type).sort(), ['NetworkUnavailable', 'Ready']);
      assert.deepEqual(routed(), [`${NODE} 10.244.7.0/24`]);
      await host.client.delete(nodes, { name: NODE });
      await until(() => cloud.routes.length === 0, 'no route');
      await host.client.create(nodes, { metadata: { name: NODE }, spec: {}, status: {} } as never);
    });

    it('that a cloud refuses are reported by condition and event, and made when it allows them', async () => {
      cloud.failure = new Error('no more routes');
      await start();
      await isReported('NoRouteCreated');
      assert.equal((await condition())!.status, 'True');
      await until(async () => {
        const { items } = await host.client.list(events, { namespace: 'default' });
        return items.some(
          ({ reason, involvedObject }) => reason === 'FailedToCreateRoute' && involvedObject.name === NODE,
        );
      }, 'the event');
      cloud.failure = undefined;
      await isReported('RouteCreated');
      host.errors.length = 0;
    });
  },
};
