import assert from 'node:assert/strict';
import { events, nodes, pods, services } from '../../api/core/tokens.ts';
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
  beforeEach(async () => {
    fixture = new ControllersFixture();
    await makeNode('n', 'z');
  });
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
  const makeNode = (name: string, zone: string, cpu = '4'): Promise<unknown> =>
    fixture.client.create(nodes, {
      metadata: { name, labels: { 'topology.kubernetes.io/zone': zone } },
      spec: {},
      status: { allocatable: { cpu }, conditions: [{ type: 'Ready', status: 'True' }] },
    } as never);
  const notes = async (): Promise<unknown> =>
    (await fixture.client.list(events)).items.map(({ reason, message, source }) => [
      reason,
      message,
      source?.component,
    ]);
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
    for (const name of ['p-0', 'p-1', 'p-2', 'p-3'])
      await fixture.client.delete(pods, { namespace: 'ns', name }, { gracePeriodSeconds: 0 });
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

  it('puts what does not fill a new slice into one that has room', async () => {
    await makeService();
    await makePods(1);
    await start(4);
    for (let i = 0; i < 6; i++) await fixture.client.create(pods, podOf(`q-${i}`, `10.0.1.${i + 1}`));
    await fixture.clock.advance(0);
    assert.deepEqual(await sizes(), [3, 4]);
  });

  it('leaves out pods on nodes that are not there, says so, and tries again', async () => {
    await makeService();
    await makePods(1);
    await fixture.client.create(pods, podOf('lost', '10.0.1.1', { node: 'gone' }));
    await start();
    assert.deepEqual(await sizes(), [1]);
    const problem = 'skipping Pod lost for Service ns/web: Node gone Not Found';
    assert.deepEqual(await notes(), [
      [
        'FailedToUpdateEndpointSlices',
        `Error updating Endpoint Slices for Service ns/web: ${problem}`,
        'endpoint-slice-controller',
      ],
    ]);
    await makeNode('gone', 'z');
    await fixture.clock.advance(60_000);
    assert.deepEqual(await sizes(), [2]);
  });

  it('deletes slices of an earlier service of the name, and fills none of them', async () => {
    await makeService();
    await makePods(1);
    await start();
    const [{ metadata, ...rest }] = (await slices()) as [EndpointSlice];
    const [owner] = metadata.ownerReferences!;
    const { labels } = metadata;
    await fixture.client.create(endpointSlices, {
      ...rest,
      metadata: { name: 'old', namespace: 'ns', labels, ownerReferences: [{ ...owner!, uid: 'earlier' }] },
    });
    await fixture.clock.advance(5000);
    assert.deepEqual(
      (await slices()).map(({ metadata: { name } }) => name),
      [metadata.name],
    );
  });

  it('gives the time of the service at first, and then that of the pod that changed', async () => {
    const trigger = async (): Promise<string | undefined> =>
      (await slices())[0]!.metadata.annotations?.['endpoints.kubernetes.io/last-change-trigger-time'];
    const service = await makeService();
    await makePods(1);
    await start();
    assert.equal(await trigger(), service.metadata.creationTimestamp);
    const changed = { type: 'Ready', status: 'False', lastTransitionTime: '2030-01-01T00:00:00Z' };
    const status = { conditions: [changed] };
    await fixture.client.patch(pods, { namespace: 'ns', name: 'p-0' }, 'merge', { status }, { subresource: 'status' });
    await fixture.clock.advance(0);
    assert.equal(await trigger(), '2030-01-01T00:00:00Z');
  });

  describe('with the annotation for topology', () => {
    const zones = async (): Promise<string[]> =>
      (await slices())
        .flatMap(({ endpoints }) => endpoints!.map(({ hints }) => hints?.forZones?.[0]?.name ?? 'none'))
        .sort();
    const annotate = (mode: string | null): Promise<unknown> =>
      fixture.client.patch(services, { namespace: 'ns', name: 'web' }, 'merge', {
        metadata: { annotations: { 'service.kubernetes.io/topology-mode': mode } },
      });

    it('divides endpoints among zones by their CPU, and says so once', async () => {
      await makeNode('m', 'y');
      const service = serviceOf();
      await fixture.client.create(services, service);
      await annotate('Auto');
      await makePods(3);
      await fixture.client.create(pods, podOf('r', '10.0.2.1', { node: 'm' }));
      await start();
      assert.deepEqual(await zones(), ['y', 'y', 'z', 'z']);
      await annotate('auto');
      await fixture.clock.advance(0);
      const enabled = 'Topology Aware Hints has been enabled, addressType: IPv4';
      assert.deepEqual(await notes(), [['TopologyAwareHintsEnabled', enabled, 'endpoint-slice-controller']]);
    });

    it('takes hints away with the annotation, and when nodes do not say enough', async () => {
      await makeNode('m', 'y');
      await makeService();
      await annotate('auto');
      await makePods(2);
      await fixture.client.create(pods, podOf('r', '10.0.2.1', { node: 'm' }));
      await fixture.client.create(pods, podOf('s', '10.0.2.2', { node: 'm' }));
      await start();
      assert.deepEqual(await zones(), ['y', 'y', 'z', 'z']);
      await makeNode('bare', '');
      await fixture.clock.advance(0);
      assert.deepEqual(await zones(), ['none', 'none', 'none', 'none']);
      await fixture.client.delete(nodes, { name: 'bare' });
      await annotate('Auto');
      await fixture.clock.advance(0);
      assert.deepEqual(await zones(), ['y', 'y', 'z', 'z']);
      await annotate(null);
      await fixture.clock.advance(0);
      assert.deepEqual(await zones(), ['none', 'none', 'none', 'none']);
      const texts = ((await notes()) as string[][]).map(([, text]) => text!.split(',')[0]);
      assert.deepEqual(texts, [
        'Topology Aware Hints has been enabled',
        'Insufficient Node information: allocatable CPU or zone not specified on one or more nodes',
        'Topology Aware Hints has been disabled',
      ]);
      const [enabled] = (await fixture.client.list(events)).items;
      assert.equal(enabled!.count, 2);
    });

    it('gives none to fewer endpoints than zones', async () => {
      await makeNode('m', 'y');
      await makeService();
      await annotate('Auto');
      await makePods(1);
      await start();
      assert.deepEqual(await zones(), ['none']);
      const [[, note]] = (await notes()) as [[string, string]];
      assert.equal(note, 'Insufficient number of endpoints (1 endpoints, 2 zones), addressType: IPv4');
    });
  });
});
