import assert from 'node:assert/strict';
import { ipAddresses, serviceCidrs } from '../../api/networking/tokens.ts';
import { startTestServer, type TestServer } from '../../server/server-testing.ts';
import { until } from '../../../test/fixtures/until.ts';
import { createIpAddress } from './ip-address-objects.ts';
import { openServiceAllocators } from './service-allocators.ts';
import { storeAccess } from '../store-access.ts';

const networking = '/apis/networking.k8s.io/v1';
const services = '/api/v1/namespaces/default/services';
const merge = { 'content-type': 'application/merge-patch+json' };

describe('cluster IPs', () => {
  let api: TestServer;
  // 14 addresses: of so few none are reserved for names.
  before(async () => {
    api = await startTestServer(['--service-cluster-ip-range=10.0.0.0/28,fd00::/112']);
  });
  after(() => {
    assert.deepEqual(api.errors, []);
    return api.stop();
  });
  const create = (name: string, spec: object = {}, query = '') =>
    api.send('POST', `${services}${query}`, { metadata: { name }, spec: { ports: [{ port: 80 }], ...spec } });
  const patch = async (name: string, spec: object) =>
    (await api.send('PATCH', `${services}/${name}`, { spec }, merge)).body.spec;
  const addresses = async (): Promise<string[]> =>
    (await api.send('GET', `${networking}/ipaddresses`)).body.items.map(
      (a: { metadata: { name: string } }) => a.metadata.name,
    );
  const stores = storeAccess((name) => api.server.storeOf(name));
  const open = (random?: () => number) =>
    openServiceAllocators(
      api.store,
      stores,
      { clusterIps: ['10.0.0.0/28', 'fd00::/112'], nodePorts: { low: 30_000, high: 32_767 } },
      random,
    );
  const marks = async () => (await open().clusterIps.get('IPv4')!.bitmap.snapshot()).bitmap;
  const clear = async () => {
    for (const { metadata } of (await api.send('GET', services)).body.items)
      if (metadata.name !== 'kubernetes') await api.send('DELETE', `${services}/${metadata.name}`);
    assert.deepEqual(await addresses(), ['10.0.0.1']);
    assert.deepEqual([...(await marks()).offsets()], [0]);
  };
  afterEach(clear);
  const cidr = async (name: string, cidrs: string[]) => {
    const { status } = await api.send('POST', `${networking}/servicecidrs`, { metadata: { name }, spec: { cidrs } });
    assert.equal(status, 201);
    await stores(serviceCidrs).cacher.fresh();
  };

  it('come from the default ServiceCIDR, each with an object that refers to its service', async () => {
    const { body: made } = await api.send('GET', `${networking}/servicecidrs/kubernetes`);
    assert.deepEqual(made.spec, { cidrs: ['10.0.0.0/28', 'fd00::/112'] });
    const [{ type, status, reason, message }] = made.status.conditions;
    assert.deepEqual(
      [type, status, reason, message],
      ['Ready', 'True', '', 'Kubernetes default Service CIDR is ready'],
    );
    await until(
      async () =>
        (await api.send('GET', `${networking}/servicecidrs/kubernetes`)).body.metadata.finalizers?.includes(
          'networking.k8s.io/service-cidr-finalizer',
        ),
      'the finalizer',
    );
    const { body: own } = await api.send('GET', `${networking}/ipaddresses/10.0.0.1`);
    assert.deepEqual(own.spec, { parentRef: { resource: 'services', namespace: 'default', name: 'kubernetes' } });
    assert.deepEqual(own.metadata.labels, {
      'ipaddress.kubernetes.io/ip-family': 'IPv4',
      'ipaddress.kubernetes.io/managed-by': 'ipallocator.k8s.io',
    });
    const { body } = await create('two', { ipFamilyPolicy: 'RequireDualStack' });
    assert.deepEqual((await addresses()).sort(), ['10.0.0.1', ...body.spec.clusterIPs].sort());
    const { body: v6 } = await api.send('GET', `${networking}/ipaddresses/${body.spec.clusterIPs[1]}`);
    assert.equal(v6.metadata.labels['ipaddress.kubernetes.io/ip-family'], 'IPv6');
  });

  it('follow the families and the type of a service', async () => {
    const { body } = await create('s', { ipFamilyPolicy: 'SingleStack' });
    const [first] = body.spec.clusterIPs;
    const two = await patch('s', { ipFamilyPolicy: 'PreferDualStack' });
    assert.deepEqual((await addresses()).sort(), ['10.0.0.1', ...two.clusterIPs].sort());
    await patch('s', { ipFamilyPolicy: 'SingleStack' });
    assert.deepEqual((await addresses()).sort(), ['10.0.0.1', first].sort());
    await patch('s', { type: 'ExternalName', externalName: 'x.example.com' });
    assert.deepEqual(await addresses(), ['10.0.0.1']);
    const back = await patch('s', { type: 'ClusterIP', externalName: null });
    assert.deepEqual((await addresses()).sort(), ['10.0.0.1', ...back.clusterIPs].sort());
    await create('none', { clusterIP: 'None' });
    await create('dry', {}, '?dryRun=All');
    assert.equal((await create('s')).status, 409);
    assert.equal((await create('bad', { ports: [{ port: 0 }] })).status, 422);
    assert.equal((await addresses()).length, 2);
  });

  it('are refused in the words of release 1.36', async () => {
    const problem = async (clusterIP: string) =>
      (await create('x', { clusterIP })).body.message.split(': ').slice(-2).join(': ');
    assert.equal(
      await problem('10.9.9.9'),
      'failed to allocate IP 10.9.9.9: the provided network does not match the current range',
    );
    assert.equal(
      await problem('10.0.0.15'),
      'failed to allocate IP 10.0.0.15: the provided IP (10.0.0.15) is not in the valid range. The range of valid IPs is 10.0.0.0/28',
    );
    assert.equal(await problem('10.0.0.1'), 'failed to allocate IP 10.0.0.1: provided IP is already allocated');
  });

  it('are refused where an object or a mark of another server has them', async () => {
    await createIpAddress(stores(ipAddresses), '10.0.0.9', { namespace: 'default', name: 'stock' });
    await open().clusterIps.get('IPv4')!.bitmap.allocate('10.0.0.10');
    for (const clusterIP of ['10.0.0.9', '10.0.0.10']) {
      assert.match((await create('x', { clusterIP })).body.message, /provided IP is already allocated$/);
      assert.match((await create('x', { clusterIP }, '?dryRun=All')).body.message, /provided IP is already allocated$/);
    }
    const made = await Promise.all(Array.from({ length: 12 }, (_, i) => create(`m-${i}`)));
    const given = made.flatMap(({ body }) => body.spec?.clusterIP ?? []);
    assert.deepEqual(
      [given.length, new Set(given).size, given.includes('10.0.0.9'), given.includes('10.0.0.10')],
      [11, 11, false, false],
    );
    assert.match(
      made.find(({ status }) => status === 500)!.body.message,
      /failed to allocate a serviceIP: range is full$/,
    );
    assert.match((await create('dry', {}, '?dryRun=All')).body.message, /range is full$/);
    const v4 = open().clusterIps.get('IPv4')!;
    assert.deepEqual(
      await Promise.all(['stock', 'other'].map((name) => v4.isHeld('10.0.0.9', { namespace: 'default', name }))),
      [true, false],
    );
    assert.equal(await v4.isHeld('10.0.0.10', { namespace: 'default', name: 'stock' }), false);
    for (const ip of ['10.0.0.9', '10.0.0.10']) await open().clusterIps.get('IPv4')!.release([ip], undefined);
  });

  it('come from further ServiceCIDRs when the default one is full, and from none that is being deleted', async () => {
    for (let i = 0; i < 13; i++) assert.equal((await create(`f-${i}`)).status, 201);
    assert.equal((await create('more')).status, 500);
    await cidr('more', ['10.1.0.0/30', 'fd01::/64']);
    const more = [await create('more'), await create('most')].map(({ body }) => body.spec.clusterIP);
    assert.deepEqual(more.sort(), ['10.1.0.1', '10.1.0.2']);
    assert.equal((await create('x', { clusterIP: '10.1.0.2' })).status, 422);
    assert.equal((await create('six', { ipFamilies: ['IPv6'], clusterIP: 'fd01::ffff:ffff:ffff:fffe' })).status, 201);
    await api.send('DELETE', `${services}/most`);
    await until(
      async () => (await api.send('GET', `${networking}/servicecidrs/more`)).body.metadata.finalizers !== undefined,
      'the finalizer',
    );
    await api.send('DELETE', `${networking}/servicecidrs/more`);
    await stores(serviceCidrs).cacher.fresh();
    assert.equal((await create('x')).status, 500);
    assert.match(
      (await create('x', { clusterIP: '10.1.0.2' })).body.message,
      /the provided network does not match the current range$/,
    );
    await until(
      async () =>
        (await api.send('GET', `${networking}/servicecidrs/more`)).body.status.conditions[0].reason === 'Terminating',
      'terminating',
    );
    const [condition] = (await api.send('GET', `${networking}/servicecidrs/more`)).body.status.conditions;
    assert.deepEqual(
      [condition.status, condition.message],
      [
        'False',
        'There are still IPAddresses referencing the ServiceCIDR, please remove them or create a new ServiceCIDR',
      ],
    );
  });

  it('reserve the first addresses of a range for services that name them', async () => {
    const allocators = openServiceAllocators(
      api.store,
      stores,
      { clusterIps: ['10.0.0.0/28'], nodePorts: { low: 30_000, high: 32_767 } },
      () => 0,
    );
    await cidr('aaa', ['10.2.0.0/24']);
    const v4 = allocators.clusterIps.get('IPv4')!;
    const given = [];
    for (let i = 0; i < 14; i++) given.push(await v4.allocateNext({ namespace: 'default', name: 'kubernetes' }));
    assert.equal(given[13], '10.2.0.17');
    await v4.release(given, undefined);
  });
});
