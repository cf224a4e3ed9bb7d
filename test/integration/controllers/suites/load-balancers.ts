import assert from 'node:assert/strict';
import { events, nodes, services } from '../../../../pkg/api/core/tokens.ts';
import { unlessNotFound } from '../../../../pkg/apimachinery/errors/status-error.ts';
import type { ControllersConfig } from '../../../../pkg/controllers/controllers-config.ts';
import { SimulatedLoadBalancers } from '../../../../pkg/controllers/providers/simulated-load-balancers-testing.ts';
import { serviceLbController } from '../../../../pkg/controllers/service-lb/controller.ts';
import type { Service } from '../../../../pkg/generated/types/core-v1.ts';
import { until } from '../../../fixtures/until.ts';
import type { ControllerSuite } from '../controller-suite.ts';

const NODE = 'balanced';
const FINALIZER = 'service.kubernetes.io/load-balancer-cleanup';

export const loadBalancers: ControllerSuite = {
  name: 'load balancers',
  define(host) {
    let provider: SimulatedLoadBalancers;
    before(async () => {
      const made = await host.client.create(nodes, { metadata: { name: NODE }, spec: {}, status: {} } as never);
      const conditions = [{ type: 'Ready', status: 'True', lastHeartbeatTime: null, lastTransitionTime: null }];
      await host.client.update(nodes, { ...made, status: { conditions } } as never, { subresource: 'status' });
    });
    after(() => host.client.delete(nodes, { name: NODE }));
    beforeEach(() => (provider = new SimulatedLoadBalancers()));

    const start = (): Promise<unknown> =>
      host.start((context) => {
        const config = { workers: { service: 1 }, clusterName: 'kubernetes' } as ControllersConfig;
        return serviceLbController(provider).create(context, config)!;
      });
    const create = (namespace: string, spec: Partial<Service['spec']> = {}): Promise<Service> =>
      host.client.create(services, {
        metadata: { namespace, name: 'web' },
        spec: { type: 'LoadBalancer', ports: [{ port: 80, targetPort: 80, protocol: 'TCP' }], ...spec },
        status: { loadBalancer: {} },
      });
    const read = (namespace: string): Promise<Service | undefined> =>
      unlessNotFound(host.client.get(services, { namespace, name: 'web' }));

    it('are made, shown, and removed before their service goes', async () => {
      const namespace = await host.namespace();
      const { metadata } = await create(namespace);
      await start();
      await until(async () => (await read(namespace))!.status.loadBalancer?.ingress !== undefined, 'an address');
      assert.deepEqual((await read(namespace))!.metadata.finalizers, [FINALIZER]);
      assert.deepEqual(provider.balancers.get(metadata.uid!), [NODE]);
      await host.client.delete(services, { namespace, name: 'web' });
      await until(async () => (await read(namespace)) === undefined, 'no service');
      assert.equal(provider.balancers.size, 0);
      const reasons = async (): Promise<string[]> =>
        (await host.client.list(events, { namespace })).items.map(({ reason }) => reason!).sort();
      const wanted = ['DeletedLoadBalancer', 'DeletingLoadBalancer', 'EnsuredLoadBalancer', 'EnsuringLoadBalancer'];
      await until(async () => (await reasons()).length === wanted.length, 'four events');
      assert.deepEqual(await reasons(), wanted);
    });

    it('go when the service becomes another type', async () => {
      const namespace = await host.namespace();
      await create(namespace);
      await start();
      await until(async () => provider.balancers.size === 1, 'a load balancer');
      await until(async () => (await read(namespace))!.status.loadBalancer?.ingress !== undefined, 'an address');
      await host.client.patch(services, { namespace, name: 'web' }, 'merge', { spec: { type: 'ClusterIP' } });
      await until(async () => (await read(namespace))!.metadata.finalizers === undefined, 'no finalizer');
      assert.deepEqual([(await read(namespace))!.status.loadBalancer, provider.balancers.size], [{}, 0]);
    });

    it('of a class are left to its own program', async () => {
      const namespace = await host.namespace();
      await create(namespace, { loadBalancerClass: 'example.com/other' });
      await start();
      assert.deepEqual([provider.calls, (await read(namespace))!.metadata.finalizers], [[], undefined]);
    });
  },
};
