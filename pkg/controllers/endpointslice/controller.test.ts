import assert from 'node:assert/strict';
import { nodes, pods, services } from '../../api/core/tokens.ts';
import { endpointSlices } from '../../api/discovery/tokens.ts';
import type { Pod, Service } from '../../generated/types/core-v1.ts';
import type { EndpointSlice } from '../../generated/types/discovery-v1.ts';
import type { ControllersConfig } from '../controllers-config.ts';
import { ControllersFixture } from '../controllers-testing.ts';
import { podOf, serviceOf } from '../service-endpoints/objects-testing.ts';
import { endpointSliceController } from './controller.ts';

const config = (endpointsMax = 100): ControllersConfig =>
  ({ workers: { endpointSlice: 2 }, endpointSlice: { batchMs: 0, endpointsMax } }) as ControllersConfig;

describe('the endpointslice controller', () => {
  let fixture: ControllersFixture;
  beforeEach(() => (fixture = new ControllersFixture()));
  afterEach(() => fixture.stop());
  const start = (endpointsMax?: number): Promise<void> =>
    fixture.start(endpointSliceController.create(fixture.context, config(endpointsMax))!);
  const slices = async (): Promise<readonly EndpointSlice[]> =>
    (await fixture.client.list(endpointSlices, { namespace: 'ns' })).items;
  const makePods = async (count: number, options: object = {}): Promise<void> => {
    for (let i = 0; i < count; i++) await fixture.client.create(pods, podOf(`p-${i}`, `10.0.0.${i + 1}`, options));
  };
  const makeService = (spec: Partial<Service['spec']> = {}): Promise<Service> =>
    fixture.client.create(services, serviceOf(spec));
  const makeNode = (): Promise<unknown> =>
    fixture.client.create(nodes, {
      metadata: { name: 'n', labels: { 'topology.kubernetes.io/zone': 'z' } },
      spec: {},
      status: {},
    } as never);
  const sizes = async (): Promise<number[]> => (await slices()).map(({ endpoints }) => endpoints?.length ?? 0).sort();

  it('writes a placeholder, and uses it for the first endpoint', async () => {
    await makeService();
    await start();
    const [placeholder] = await slices();
    assert.deepEqual([placeholder!.endpoints ?? [], placeholder!.ports ?? []], [[], []]);
    assert.equal(placeholder!.metadata.ownerReferences?.[0]?.controller, true);
    await makePods(1);
    await fixture.clock.advance(0);
    const [slice, ...others] = await slices();
    assert.equal(others.length, 0);
    assert.equal(slice!.metadata.uid, placeholder!.metadata.uid);
    assert.deepEqual(slice!.endpoints![0]!.conditions, { ready: true, serving: true, terminating: false });
    await fixture.clock.advance(5000);
    assert.deepEqual([await sizes(), fixture.errors], [[1], []]);
  });

  it('keeps to the maximum of endpoints, and fills slices before it makes new ones', async () => {
    await makeService();
    await makePods(5);
    await start(2);
    assert.deepEqual(await sizes(), [1, 2, 2]);
    await fixture.client.create(pods, podOf('q', '10.0.1.1'));
    await fixture.clock.advance(0);
    assert.deepEqual(await sizes(), [2, 2, 2]);
    for (const name of ['p-0', 'p-1', 'p-2', 'p-3']) await fixture.client.delete(pods, { namespace: 'ns', name });
    await fixture.clock.advance(0);
    assert.equal(
      (await sizes()).reduce((sum, size) => sum + size),
      2,
    );
  });

  it('writes a slice for each family', async () => {
    await makeService({ ipFamilies: ['IPv4', 'IPv6'] });
    await makePods(1, { ipv6: 'fd00::1' });
    await start();
    const types = (await slices()).map(({ addressType, endpoints }) => [addressType, endpoints![0]!.addresses![0]]);
    assert.deepEqual(types.sort(), [
      ['IPv4', '10.0.0.1'],
      ['IPv6', 'fd00::1'],
    ]);
  });

  it('names node and zone, and gives the hints that the service asks for', async () => {
    await makeNode();
    await makeService({ trafficDistribution: 'PreferSameNode' });
    await makePods(1, { node: 'n' });
    await start();
    const [endpoint] = (await slices())[0]!.endpoints!;
    assert.deepEqual([endpoint!.nodeName, endpoint!.zone], ['n', 'z']);
    assert.deepEqual(endpoint!.hints, { forZones: [{ name: 'z' }], forNodes: [{ name: 'n' }] });
    await fixture.client.patch(services, { namespace: 'ns', name: 'web' }, 'merge', {
      spec: { trafficDistribution: null },
    });
    await fixture.clock.advance(0);
    assert.equal((await slices())[0]!.endpoints![0]!.hints, undefined);
  });

  it('keeps a pod that terminates as an endpoint that serves and is not ready', async () => {
    await makeService();
    const pod: Pod = podOf('a', '10.0.0.1');
    await fixture.client.create(pods, { ...pod, metadata: { ...pod.metadata, finalizers: ['x/y'] } });
    await start();
    await fixture.client.delete(pods, { namespace: 'ns', name: 'a' });
    await fixture.clock.advance(0);
    assert.deepEqual((await slices())[0]!.endpoints![0]!.conditions, {
      ready: false,
      serving: true,
      terminating: true,
    });
  });

  it('leaves the slices of a service that loses its selector', async () => {
    await makeService();
    await makePods(1);
    await start();
    await fixture.client.patch(services, { namespace: 'ns', name: 'web' }, 'merge', { spec: { selector: null } });
    await fixture.client.delete(pods, { namespace: 'ns', name: 'p-0' });
    await fixture.clock.advance(5000);
    assert.deepEqual(await sizes(), [1]);
  });
});
