import assert from 'node:assert/strict';
import { endpoints as endpointsToken, services } from '../../api/core/tokens.ts';
import { endpointSlices } from '../../api/discovery/tokens.ts';
import { ControllersFixture } from '../controllers-testing.ts';
import { kubernetesServiceController, type KubernetesServiceControllerOptions } from './controller.ts';
import { openEndpointReconciler } from './open-endpoint-reconciler.ts';
import type { ServerLeases } from './server-leases.ts';

const name = { namespace: 'default', name: 'kubernetes' };
const own = { ip: '192.0.2.1', port: 6443 };

describe('the kubernetes-service controller', () => {
  let fixture: ControllersFixture;
  let alive: Set<string>;
  let leases: ServerLeases;
  let failure: Error | undefined;
  beforeEach(() => {
    fixture = new ControllersFixture();
    alive = new Set();
    failure = undefined;
    leases = {
      renew: async (ip) => {
        if (failure !== undefined) throw failure;
        alive.add(ip);
      },
      remove: async (ip) => void alive.delete(ip),
      addresses: async () => [...alive],
    };
  });
  afterEach(() => fixture.stop());
  const make = (more: Partial<KubernetesServiceControllerOptions> = {}) =>
    kubernetesServiceController(fixture.context, {
      service: { clusterIp: '10.0.0.1', securePort: 6443, nodePort: 0 },
      endpoints: openEndpointReconciler({ type: 'lease', serverCount: 1 }, leases),
      own,
      ...more,
    });
  const shown = async () => {
    const { subsets } = await fixture.client.get(endpointsToken, name);
    return (subsets ?? []).flatMap(({ addresses }) => (addresses ?? []).map(({ ip }) => ip));
  };

  it('makes the service, its endpoints and their slice, and sends no request while they stay', async () => {
    await fixture.start(make());
    const { spec } = await fixture.client.get(services, name);
    assert.deepEqual([spec.type, spec.clusterIP], ['ClusterIP', '10.0.0.1']);
    assert.deepEqual(spec.ports, [{ name: 'https', port: 443, protocol: 'TCP', targetPort: 6443 }]);
    const { metadata, subsets } = await fixture.client.get(endpointsToken, name);
    assert.deepEqual(metadata.labels, { 'endpointslice.kubernetes.io/skip-mirror': 'true' });
    assert.deepEqual(subsets, [
      { addresses: [{ ip: own.ip }], ports: [{ name: 'https', port: 6443, protocol: 'TCP' }] },
    ]);
    const slice = await fixture.client.get(endpointSlices, name);
    assert.deepEqual(
      [slice.addressType, slice.endpoints],
      ['IPv4', [{ addresses: [own.ip], conditions: { ready: true } }]],
    );
    const before = fixture.requests.length;
    await fixture.clock.advance(3600_000);
    assert.equal(fixture.requests.length, before);
  });

  it('repairs what others changed, but leaves the ports of the service to them', async () => {
    await fixture.start(make());
    const endpoints = await fixture.client.get(endpointsToken, name);
    await fixture.client.update(endpointsToken, { ...endpoints, subsets: [{ addresses: [{ ip: '192.0.2.9' }] }] });
    await fixture.client.delete(endpointSlices, name);
    const service = await fixture.client.get(services, name);
    const ports = [{ name: 'https', port: 443, protocol: 'TCP', targetPort: 1234 }];
    await fixture.client.update(services, { ...service, spec: { ...service.spec, ports } });
    await fixture.clock.advance(5000);
    assert.deepEqual(await shown(), [own.ip]);
    assert.equal((await fixture.client.get(endpointSlices, name)).endpoints?.length, 1);
    assert.deepEqual((await fixture.client.get(services, name)).spec.ports, ports);
    await fixture.client.delete(services, name);
    await fixture.clock.advance(5000);
    assert.equal((await fixture.client.get(services, name)).spec.clusterIP, '10.0.0.1');
  });

  it('leaves the endpoints when it stops, with any other writers', async () => {
    const controller = make();
    await fixture.start(controller);
    alive.add('192.0.2.2');
    let conflicts = 2;
    fixture.client.before = async ({ verb, resource }) => {
      if (verb !== 'update' || resource !== 'endpoints' || conflicts-- <= 0) return;
      const current = await fixture.client.get(endpointsToken, name);
      const annotations = { change: String(conflicts) };
      fixture.cluster.put(endpointsToken, { ...current, metadata: { ...current.metadata, annotations } });
    };
    await controller.stop();
    assert.deepEqual([await shown(), [...alive], fixture.errors], [['192.0.2.2'], ['192.0.2.2'], []]);
  });

  it('keeps a server out of the endpoints that no pod reaches', async () => {
    await fixture.start(make({ own: undefined }));
    assert.deepEqual([(await fixture.client.list(endpointsToken)).items, [...alive]], [[], []]);
    assert.equal((await fixture.client.list(services)).items.length, 1);
  });

  it('reports endpoints that cannot be written, and tries again soon', async () => {
    failure = new Error('no such endpoints');
    await fixture.start(make());
    failure = undefined;
    await fixture.clock.advance(1000);
    assert.deepEqual(
      [fixture.errors, await shown()],
      [['kubernetes-service default/kubernetes: no such endpoints'], [own.ip]],
    );
  });
});
