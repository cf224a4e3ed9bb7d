import assert from 'node:assert/strict';
import { startTestServer, type TestServer } from '../server/server-testing.ts';
import { bootstrapCluster, type BootstrapOptions } from './bootstrap.ts';
import { ensureKubernetesService } from './kubernetes-service.ts';
import { storeAccess } from '../registry/store-access.ts';

describe('a new cluster', () => {
  let api: TestServer;
  before(async () => {
    api = await startTestServer();
  });
  after(() => api.stop());
  const get = async (path: string) => (await api.send('GET', path)).body;
  const stores = storeAccess((name) => api.server.storeOf(name));
  const paths = {
    service: '/api/v1/namespaces/default/services/kubernetes',
    endpoints: '/api/v1/namespaces/default/endpoints/kubernetes',
    slice: '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices/kubernetes',
  };

  it('has its namespaces and priority classes', async () => {
    const { items } = await get('/api/v1/namespaces');
    assert.deepEqual(
      items.map((n: { metadata: { name: string } }) => n.metadata.name),
      ['default', 'kube-node-lease', 'kube-public', 'kube-system'],
    );
    const classes = await get('/apis/scheduling.k8s.io/v1/priorityclasses');
    assert.deepEqual(
      classes.items.map((c: { metadata: { name: string }; value: number }) => [c.metadata.name, c.value]),
      [
        ['system-cluster-critical', 2_000_000_000],
        ['system-node-critical', 2_000_001_000],
      ],
    );
  });

  it('has the kubernetes service at the first address', async () => {
    const { metadata, spec } = await get(paths.service);
    assert.deepEqual(metadata.labels, { component: 'apiserver', provider: 'kubernetes' });
    assert.deepEqual([spec.type, spec.clusterIP, spec.clusterIPs], ['ClusterIP', '10.0.0.1', ['10.0.0.1']]);
    assert.deepEqual(spec.ports, [{ name: 'https', protocol: 'TCP', port: 443, targetPort: api.port }]);
    const endpoints = await get(paths.endpoints);
    assert.deepEqual(endpoints.subsets, [
      { addresses: [{ ip: '192.0.2.1' }], ports: [{ name: 'https', port: api.port, protocol: 'TCP' }] },
    ]);
    assert.deepEqual(endpoints.metadata.labels, { 'endpointslice.kubernetes.io/skip-mirror': 'true' });
    const slice = await get(paths.slice);
    assert.deepEqual(
      [slice.addressType, slice.endpoints],
      ['IPv4', [{ addresses: ['192.0.2.1'], conditions: { ready: true } }]],
    );
    assert.deepEqual(slice.metadata.labels, { 'kubernetes.io/service-name': 'kubernetes' });
  });

  const options = (): BootstrapOptions => ({
    stores,
    allocators: api.allocators,
    service: { clusterIp: '10.0.0.1', securePort: api.port, nodePort: 0 },
    onError: (error) => assert.fail(String(error)),
  });
  const releaseClusterIp = () => api.allocators.clusterIps.get('IPv4')!.release(['10.0.0.1'], undefined);

  it('takes its address again from a server that died before the service was there', async () => {
    await api.send('DELETE', paths.service);
    const { clusterIps } = api.allocators;
    await clusterIps.get('IPv4')!.allocate('10.0.0.1', { namespace: 'default', name: 'kubernetes' });
    await ensureKubernetesService(stores, {
      clusterIp: '10.0.0.1',
      securePort: api.port,
      nodePort: 0,
      releaseClusterIp,
      patienceMs: 1,
    });
    assert.equal((await get(paths.service)).spec.clusterIP, '10.0.0.1');
  });

  it('leaves the address to another service that has it', async () => {
    await api.send('DELETE', paths.service);
    await api.send('POST', '/api/v1/namespaces/default/services', {
      metadata: { name: 'taker' },
      spec: { clusterIP: '10.0.0.1', ports: [{ port: 1 }] },
    });
    await assert.rejects(
      ensureKubernetesService(stores, {
        clusterIp: '10.0.0.1',
        securePort: api.port,
        nodePort: 0,
        releaseClusterIp,
        patienceMs: 1,
      }),
      /already allocated/,
    );
    await api.send('DELETE', '/api/v1/namespaces/default/services/taker');
    await ensureKubernetesService(stores, {
      clusterIp: '10.0.0.1',
      securePort: api.port,
      nodePort: 0,
      releaseClusterIp,
    });
  });

  it('gives the service a node port where one is configured', async () => {
    await ensureKubernetesService(stores, {
      clusterIp: '10.0.0.1',
      securePort: api.port,
      nodePort: 31_443,
      releaseClusterIp,
    });
    const { spec } = await get(paths.service);
    assert.deepEqual([spec.type, spec.ports[0].nodePort, spec.clusterIP], ['NodePort', 31_443, '10.0.0.1']);
    await ensureKubernetesService(stores, {
      clusterIp: '10.0.0.1',
      securePort: api.port,
      nodePort: 0,
      releaseClusterIp,
    });
    assert.equal((await get(paths.service)).spec.type, 'ClusterIP');
  });

  it('makes the ports of the service those of the server that starts', async () => {
    const change = { spec: { ports: [{ name: 'https', port: 443, targetPort: 1234 }] } };
    const targetPort = async () => (await get(paths.service)).spec.ports[0].targetPort;
    await api.send('PATCH', paths.service, change, { 'content-type': 'application/merge-patch+json' });
    assert.equal(await targetPort(), 1234);
    await bootstrapCluster(options());
    assert.equal(await targetPort(), api.port);
  });

  it('warns of allocations that it makes for services that were there, as in the store of another server', async () => {
    await releaseClusterIp();
    const warnings: string[] = [];
    const { start } = await bootstrapCluster({
      ...options(),
      onWarning: (message, where) => warnings.push(`${where}: ${message}`),
    });
    assert.deepEqual(start.unfinished, []);
    assert.deepEqual(warnings, [
      'service allocation: Service default/kubernetes: Cluster IP [IPv4]: 10.0.0.1 is not allocated; repairing',
      'service allocation: 10.0.0.1 of service default/kubernetes was not marked as allocated; repaired',
    ]);
  });
});
