import assert from 'node:assert/strict';
import { events, nodes, services } from '../../api/core/tokens.ts';
import type { Service } from '../../generated/types/core-v1.ts';
import type { ControllersConfig } from '../controllers-config.ts';
import { ControllersFixture } from '../controllers-testing.ts';
import { SimulatedLoadBalancers } from '../providers/simulated-load-balancers-testing.ts';
import { serviceOf } from '../service-endpoints/objects-testing.ts';
import { serviceLbController } from './controller.ts';

const CONFIG = { workers: { service: 1 }, clusterName: 'kubernetes' } as ControllersConfig;
const name = { namespace: 'ns', name: 'web' };
const FINALIZER = 'service.kubernetes.io/load-balancer-cleanup';

describe('the service load balancer controller', () => {
  let fixture: ControllersFixture;
  let provider: SimulatedLoadBalancers;
  beforeEach(async () => {
    fixture = new ControllersFixture();
    provider = new SimulatedLoadBalancers();
    await makeNode('a');
    await fixture.client.create(services, serviceOf({ type: 'LoadBalancer' }));
  });
  afterEach(() => fixture.stop());
  const start = (): Promise<void> => fixture.start(serviceLbController(provider).create(fixture.context, CONFIG)!);
  const makeNode = (node: string): Promise<unknown> =>
    fixture.client.create(nodes, {
      metadata: { name: node },
      spec: {},
      status: { conditions: [{ type: 'Ready', status: 'True' }] },
    } as never);
  const service = (): Promise<Service> => fixture.client.get(services, name);
  const rest = (): Promise<void> => fixture.clock.advance(0);
  const reasons = async (): Promise<unknown> =>
    (await fixture.client.list(events)).items.map(({ reason }) => reason).sort();

  it('has a load balancer made, holds the service by a finalizer, and says where it is', async () => {
    await start();
    const { metadata, status } = await service();
    assert.deepEqual([metadata.finalizers, status.loadBalancer.ingress?.[0]?.ip], [[FINALIZER], '203.0.113.1']);
    assert.deepEqual([...provider.balancers.values()], [['a']]);
    assert.deepEqual(await reasons(), ['EnsuredLoadBalancer', 'EnsuringLoadBalancer']);
    assert.deepEqual([provider.calls, fixture.errors], [['ensure'], []]);
  });

  it('tells the provider of nodes that come', async () => {
    await start();
    await makeNode('b');
    await rest();
    assert.deepEqual([[...provider.balancers.values()], provider.calls], [[['a', 'b']], ['ensure', 'update']]);
  });

  it('has it removed when the service is deleted, and lets the service go then', async () => {
    await start();
    await fixture.client.delete(services, name);
    await rest();
    await assert.rejects(service(), /not found/);
    assert.equal(provider.balancers.size, 0);
  });

  it('has it removed when the service asks for none any more', async () => {
    await start();
    await fixture.client.patch(services, name, 'merge', { spec: { type: 'ClusterIP' } });
    await rest();
    const { metadata, status } = await service();
    assert.deepEqual([metadata.finalizers ?? [], status.loadBalancer.ingress], [[], undefined]);
    assert.equal(provider.balancers.size, 0);
  });

  it('tries again where the provider fails, and says so', async () => {
    provider.failure = new Error('no quota');
    await start();
    const [event] = (await fixture.client.list(events)).items.filter(({ type }) => type === 'Warning');
    assert.equal(event!.message, 'Error syncing load balancer: failed to ensure load balancer: no quota');
    provider.failure = undefined;
    await fixture.clock.advance(60_000);
    assert.equal((await service()).status.loadBalancer.ingress?.length, 1);
  });

  it('leaves services of a class to others, and is off without a provider', async () => {
    await fixture.client.patch(services, name, 'merge', { spec: { loadBalancerClass: 'x.example/y' } });
    await start();
    assert.deepEqual(provider.calls, []);
    assert.equal(serviceLbController().create(fixture.context, CONFIG), undefined);
  });
});
