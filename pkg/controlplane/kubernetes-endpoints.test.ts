import assert from 'node:assert/strict';
import { endpoints as endpointsToken } from '../api/core/tokens.ts';
import { endpointSlices } from '../api/discovery/tokens.ts';
import type { ServingAddress } from '../controllers/kubernetes-service/endpoint-reconciler.ts';
import { keepAtMost } from '../controllers/kubernetes-service/master-count-endpoints.ts';
import {
  openEndpointReconciler,
  type EndpointReconcilerType,
} from '../controllers/kubernetes-service/open-endpoint-reconciler.ts';
import { startTestServer, type TestServer } from '../server/server-testing.ts';
import { storeAccess } from '../registry/store-access.ts';
import { MasterLeases } from './master-leases.ts';
import { storedObject } from './stored-object.ts';

describe('endpoint reconcilers', () => {
  let api: TestServer;
  before(async () => {
    // The server's own controller would write the same objects.
    api = await startTestServer([], { controllers: [] });
  });
  after(() => api.stop());
  const stores = storeAccess((name) => api.server.storeOf(name));
  /** Reconcilers over the store, where what one has written is what the next one reads. */
  const open = (type: EndpointReconcilerType, serverCount = 1) => {
    const reconciler = openEndpointReconciler({ type, serverCount }, new MasterLeases(stores(endpointsToken), 60));
    const name = { namespace: 'default', name: 'kubernetes' };
    const objects = () => ({
      endpoints: storedObject(stores(endpointsToken), name),
      slice: {
        ...storedObject(stores(endpointSlices), name),
        remove: () => api.send('DELETE', '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices/kubernetes'),
      },
    });
    return {
      reconcile: (own: ServingAddress) => reconciler.reconcile(own, objects()),
      remove: (own: ServingAddress) => reconciler.remove(own, objects()),
    };
  };
  const at = (last: number) => ({ ip: `192.0.2.${last}`, port: 6443 });
  async function shown(): Promise<string[]> {
    const { body: endpoints } = await api.send('GET', '/api/v1/namespaces/default/endpoints/kubernetes');
    const { body: slice } = await api.send(
      'GET',
      '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices/kubernetes',
    );
    const ips = (endpoints.subsets ?? []).flatMap((s: { addresses: { ip: string }[] }) =>
      s.addresses.map(({ ip }) => ip),
    );
    assert.deepEqual(
      (slice.endpoints ?? []).flatMap((e: { addresses: string[] }) => e.addresses),
      ips,
    );
    return ips;
  }
  async function clear(): Promise<void> {
    await open('master-count', 9).remove(at(1));
    for (const ip of await shown()) await open('master-count', 9).remove({ ip, port: 6443 });
  }

  it('of type lease show only servers that renew a lease', async () => {
    const leases = new MasterLeases(stores(endpointsToken), 60);
    for (const ip of await leases.addresses()) await leases.remove(ip);
    const lease = open('lease');
    await lease.reconcile(at(3));
    await lease.reconcile(at(2));
    await lease.reconcile(at(2));
    assert.deepEqual(await shown(), ['192.0.2.2', '192.0.2.3']);
    // As if its time had passed.
    await leases.remove('192.0.2.3');
    await lease.reconcile(at(2));
    assert.deepEqual(await shown(), ['192.0.2.2']);
    await lease.remove(at(2));
    assert.deepEqual([await shown(), await leases.addresses()], [['192.0.2.2'], []]);
  });

  it('of type lease write nothing into the endpoints while nothing changes', async () => {
    const lease = open('lease');
    await lease.reconcile(at(2));
    const version = async () =>
      (await api.send('GET', '/api/v1/namespaces/default/endpoints/kubernetes')).body.metadata.resourceVersion;
    const before = await version();
    await lease.reconcile(at(2));
    assert.equal(await version(), before);
    await lease.remove(at(2));
  });

  it('of servers with different ports have those of the last one, and do not alternate', async () => {
    const one = { ...at(2), port: 6443 };
    const other = { ...at(3), port: 7443 };
    const [first, second] = [open('lease'), open('lease')];
    await first.reconcile(one);
    await second.reconcile(other);
    const endpoints = async () => (await api.send('GET', '/api/v1/namespaces/default/endpoints/kubernetes')).body;
    const { metadata, subsets } = await endpoints();
    assert.deepEqual(
      [subsets[0].addresses.length, subsets[0].ports],
      [2, [{ name: 'https', port: 7443, protocol: 'TCP' }]],
    );
    const slice = await api.send('GET', '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices/kubernetes');
    assert.deepEqual(slice.body.ports, [{ name: 'https', port: 7443, protocol: 'TCP' }]);
    for (const [reconciler, server] of [
      [first, one],
      [second, other],
    ] as const)
      await reconciler.reconcile(server);
    assert.equal((await endpoints()).metadata.resourceVersion, metadata.resourceVersion);
    for (const [reconciler, server] of [
      [first, one],
      [second, other],
    ] as const)
      await reconciler.remove(server);
  });

  it('have a slice of another kind of addresses when the servers have', async () => {
    await clear();
    await open('master-count').reconcile({ ip: '2001:db8::1', port: 6443 });
    const slice = await api.send('GET', '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices/kubernetes');
    assert.deepEqual([slice.body.addressType, await shown()], ['IPv6', ['2001:db8::1']]);
    await open('master-count').remove({ ip: '2001:db8::1', port: 6443 });
    await open('master-count').reconcile(at(2));
    assert.deepEqual(await shown(), ['192.0.2.2']);
    await open('master-count').remove(at(2));
  });

  it('of servers with addresses of both kinds have a slice of those of IPv4', async () => {
    await clear();
    const servers = ['192.0.2.2', '2001:db8::1', '1::1'].map((ip) => ({ ip, port: 6443 }));
    for (const server of servers) await open('master-count', 9).reconcile(server);
    const endpoints = await api.send('GET', '/api/v1/namespaces/default/endpoints/kubernetes');
    assert.deepEqual(endpoints.body.subsets[0].addresses, [{ ip: '192.0.2.2' }, { ip: '1::1' }, { ip: '2001:db8::1' }]);
    const slice = await api.send('GET', '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices/kubernetes');
    assert.deepEqual(
      [slice.body.addressType, slice.body.endpoints.map((e: { addresses: string[] }) => e.addresses)],
      ['IPv4', [['192.0.2.2']]],
    );
    for (const server of servers) await open('master-count', 9).remove(server);
  });

  it('of type lease store what stock servers store', async () => {
    await new MasterLeases(stores(endpointsToken), 60).renew('192.0.2.7');
    const stored = await api.store.get('masterleases/192.0.2.7');
    const object = stores(endpointsToken).codec.decode(stored!.value, stored!.modRevision) as {
      kind?: string;
      subsets?: unknown;
      metadata: { generation?: number };
    };
    assert.deepEqual([object.metadata.generation, object.subsets], [1, [{ addresses: [{ ip: '192.0.2.7' }] }]]);
    await new MasterLeases(stores(endpointsToken), 60).remove('192.0.2.7');
    await new MasterLeases(stores(endpointsToken), 60).remove('192.0.2.7');
  });

  it('of type master-count keep as many as there are said to be', async () => {
    await clear();
    for (const last of [1, 2, 3]) await open('master-count', 2).reconcile(at(last));
    assert.deepEqual(await shown(), ['192.0.2.2', '192.0.2.3']);
    await open('master-count', 2).remove(at(2));
    assert.deepEqual(await shown(), ['192.0.2.3']);
  });

  it('of type none leave them alone', async () => {
    await clear();
    await open('none').reconcile(at(5));
    assert.deepEqual(await shown(), []);
    await open('none').remove(at(5));
  });
});

describe('keepAtMost', () => {
  for (const [present, own, count, kept] of [
    [[], 'b', 1, ['b']],
    [['b'], 'b', 1, ['b']],
    [['a', 'c'], 'b', 3, ['a', 'b', 'c']],
    [['a', 'c'], 'b', 2, ['a', 'b']],
    [['a', 'b'], 'c', 2, ['b', 'c']],
    [['a', 'b', 'c', 'd'], 'c', 1, ['c']],
  ] as const)
    it(`keeps ${kept.join(', ')} of ${present.join(', ') || 'nobody'} for ${own} and ${count}`, () =>
      assert.deepEqual(keepAtMost(present, own, count), kept));
});
