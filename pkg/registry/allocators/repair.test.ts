import assert from 'node:assert/strict';
import { serviceCidrs } from '../../api/networking/tokens.ts';
import { services } from '../../api/core/tokens.ts';
import { startTestServer, type TestServer } from '../../server/server-testing.ts';
import { Bitmap } from './bitmap.ts';
import { AllocationRepair } from './repair.ts';
import { openServiceAllocators } from './service-allocators.ts';
import { storeAccess } from '../store-access.ts';

describe('AllocationRepair', () => {
  let api: TestServer;
  let problems: string[];
  let nowMs: number;
  beforeEach(async () => {
    api = await startTestServer();
    problems = [];
    nowMs = 1000;
  });
  afterEach(() => api.stop());
  const stores = storeAccess((name) => api.server.storeOf(name));
  const repairer = (allocators = api.allocators) =>
    new AllocationRepair({ stores, allocators, onProblem: (text) => problems.push(text), nowMs: () => nowMs });
  const ips = () => api.allocators.clusterIps.get('IPv4')!;
  const marks = async () => (await ips().bitmap.snapshot()).bitmap;
  const service = async (name: string, spec: object = {}) =>
    (
      await api.send('POST', '/api/v1/namespaces/default/services', {
        metadata: { name },
        spec: { ports: [{ port: 80 }], ...spec },
      })
    ).body;
  const addressPath = (ip: string) => `/apis/networking.k8s.io/v1/ipaddresses/${ip}`;
  const events = async () =>
    (await api.send('GET', '/api/v1/namespaces/default/events')).body.items.map(
      (e: { reason: string; involvedObject: { kind: string; name: string } }) =>
        `${e.reason} ${e.involvedObject.kind}/${e.involvedObject.name}`,
    );
  const nobody = { namespace: 'default', name: 'nobody' };

  it('leaves correct allocations unchanged', async () => {
    await service('a', { type: 'NodePort' });
    const before = await api.store.currentRevision();
    await repairer().runOnce();
    assert.equal(await api.store.currentRevision(), before);
    assert.deepEqual(problems, []);
  });

  it('takes what a service of an earlier release holds, and reports it in an event', async () => {
    const { spec } = await service('a');
    await ips().release([spec.clusterIP], undefined);
    assert.equal((await api.send('GET', addressPath(spec.clusterIP))).status, 404);
    const repair = repairer();
    await repair.runOnce();
    assert.deepEqual(problems, [
      `Service default/a: Cluster IP [IPv4]: ${spec.clusterIP} is not allocated; repairing`,
      `${spec.clusterIP} of service default/a was not marked as allocated; repaired`,
    ]);
    const { body } = await api.send('GET', addressPath(spec.clusterIP));
    assert.deepEqual(body.metadata.labels, {
      'ipaddress.kubernetes.io/ip-family': 'IPv4',
      'ipaddress.kubernetes.io/managed-by': 'ipallocator.k8s.io',
    });
    assert.deepEqual(body.spec.parentRef, { resource: 'services', namespace: 'default', name: 'a' });
    assert.deepEqual(await events(), ['ClusterIPNotAllocated Service/a']);
    await assert.rejects(ips().allocate(spec.clusterIP, nobody));
  });

  it('releases in less than a minute what has no holder, and not before a write could come', async () => {
    await ips().allocate('10.0.0.99', nobody);
    await ips().bitmap.allocate('10.0.0.98');
    await api.allocators.nodePorts.allocate(30_099);
    const repair = repairer();
    await repair.runOnce();
    nowMs += 44_000;
    await repair.runOnce();
    assert.deepEqual([(await marks()).has(97), (await marks()).has(98), problems], [true, true, []]);
    nowMs += 6000;
    await repair.runWhenDue();
    assert.deepEqual([(await marks()).has(97), (await marks()).has(98)], [false, false]);
    assert.equal((await api.send('GET', addressPath('10.0.0.99'))).status, 404);
    assert.deepEqual(problems.sort(), [
      '10.0.0.98 was marked as allocated and belongs to no service; released',
      'IPAddress 10.0.0.99: IPAddress: 10.0.0.99 for Service default/nobody appears to have leaked: cleaning up',
      'node port 30099 was allocated to no service; released',
    ]);
    assert.deepEqual(await events(), ['IPAddressNotAllocated IPAddress/10.0.0.99']);
  });

  it('gives an address back to the service that has it', async () => {
    const { spec } = await service('a');
    const parentRef = { resource: 'services', namespace: 'default', name: 'gone' };
    const labels = {
      'ipaddress.kubernetes.io/ip-family': 'IPv4',
      'ipaddress.kubernetes.io/managed-by': 'ipallocator.k8s.io',
    };
    for (const metadata of [{ name: spec.clusterIP, labels }, { name: spec.clusterIP }]) {
      await api.send('DELETE', addressPath(spec.clusterIP));
      await api.send('POST', '/apis/networking.k8s.io/v1/ipaddresses', { metadata, spec: { parentRef } });
      await repairer().runOnce();
      const { body } = await api.send('GET', addressPath(spec.clusterIP));
      assert.deepEqual([body.spec.parentRef.name, body.metadata.labels], ['a', labels]);
    }
    assert.match(problems[0]!, /for Service default\/a has a wrong reference; repairing$/);
  });

  it('leaves addresses of other managers alone, and keeps earlier servers from them', async () => {
    await api.send('POST', '/apis/networking.k8s.io/v1/ipaddresses', {
      metadata: { name: '10.0.0.77' },
      spec: {
        parentRef: { group: 'gateway.networking.k8s.io', resource: 'gateways', namespace: 'default', name: 'g' },
      },
    });
    const repair = repairer();
    await repair.runOnce();
    nowMs += 60_000;
    await repair.runOnce();
    assert.equal((await api.send('GET', addressPath('10.0.0.77'))).status, 200);
    assert.equal((await marks()).has(76), true);
  });

  it('takes an address back whose reference was changed', async () => {
    await api.send('POST', '/apis/networking.k8s.io/v1/ipaddresses', {
      metadata: { name: '10.0.0.78', labels: { 'ipaddress.kubernetes.io/managed-by': 'ipallocator.k8s.io' } },
      spec: { parentRef: { resource: 'pods', namespace: 'default', name: 'p' } },
    });
    await repairer().runOnce();
    assert.equal((await api.send('GET', addressPath('10.0.0.78'))).status, 404);
    assert.deepEqual(await events(), ['IPAddressNotAllocated IPAddress/10.0.0.78']);
  });

  it('reports once two services with one address', async () => {
    const { spec } = await service('a');
    const store = stores(services);
    const other = store.cache.newest(store.keyOf('default', 'a'))!.privateObject();
    other.metadata.name = 'b';
    await store.commit(store.keyOf('default', 'b'), 0, store.codec.encode(other), other);
    const repair = repairer();
    await repair.runOnce();
    await repair.runOnce();
    assert.deepEqual(problems, [
      `Service default/b: Cluster IP [IPv4]: ${spec.clusterIP} was assigned to multiple services; please recreate service`,
    ]);
    assert.deepEqual(await events(), ['ClusterIPAlreadyAllocated Service/b']);
  });

  it('makes the bitmap of a range that is configured differently', async () => {
    await service('a', { clusterIP: '10.0.0.200' });
    const wider = openServiceAllocators(api.store, stores, {
      clusterIps: ['10.0.0.0/16'],
      nodePorts: { low: 30_000, high: 32_767 },
    });
    const { bitmap } = wider.clusterIps.get('IPv4')!;
    await assert.rejects(bitmap.allocateNext(), /is of range 10\.0\.0\.0\/24/);
    await repairer(wider).runOnce();
    await assert.rejects(bitmap.allocate('10.0.0.200'), { message: 'provided IP is already allocated' });
    await bitmap.allocate('10.0.7.7');
    assert.match((await service('b')).spec.clusterIP, /^10\.0\.0\./, 'a server with the old range goes on');
  });

  it('reports what it cannot repair', async () => {
    await service('a', { type: 'NodePort' });
    const narrower = openServiceAllocators(api.store, stores, {
      clusterIps: ['10.0.1.0/24'],
      nodePorts: { low: 32_767, high: 32_767 },
    });
    const snapshot = await ips().bitmap.snapshot();
    assert.equal(await ips().bitmap.replace(snapshot, new Bitmap(254)), true);
    const gone = stores(serviceCidrs);
    const cidr = gone.cache.newest(gone.keyOf('', 'kubernetes'))!;
    await gone.remove(cidr.key, cidr.revision);
    await repairer(narrower).runOnce();
    assert.match(
      problems[0]!,
      /^Service default\/a: Cluster IP \[IPv4\]: 10\.0\.0\.\d+ is not within any configured Service CIDR; please recreate service$/,
    );
    assert.match(
      problems.at(-1)!,
      /^Service default\/a: Port \d+ is not within the port range 32767-32767; please recreate service$/,
    );
  });
});
