import assert from 'node:assert/strict';
import { startTestServer, type TestServer } from '../../server/server-testing.ts';
import { until } from '../../../test/fixtures/until.ts';
import { DefaultServiceCidr } from './default-service-cidr.ts';
import { SERVICE_CIDR_FINALIZER, ServiceCidrProtection } from './service-cidr-protection.ts';
import { storeAccess } from '../../registry/store-access.ts';

const cidrs = '/apis/networking.k8s.io/v1/servicecidrs';
const services = '/api/v1/namespaces/default/services';
const merge = { 'content-type': 'application/merge-patch+json' };

describe('service CIDRs', () => {
  let api: TestServer;
  let fast: ServiceCidrProtection;
  const stores = storeAccess((name) => api.server.storeOf(name));
  before(async () => {
    api = await startTestServer();
    // Beside the server's own, as on another server; it does not wait before it lets go.
    fast = new ServiceCidrProtection({ stores, onError: (error) => assert.fail(String(error)), deletionGraceMs: 0 });
  });
  after(async () => {
    await fast.stop();
    await api.stop();
  });
  const create = (name: string, ranges: string[]) =>
    api.send('POST', cidrs, { metadata: { name }, spec: { cidrs: ranges } });
  const get = async (name: string) => (await api.send('GET', `${cidrs}/${name}`)).body;
  const isGone = async (name: string) => (await api.send('GET', `${cidrs}/${name}`)).status === 404;
  const ready = (cidr: any) =>
    cidr.status?.conditions?.map(({ type, status, reason, message }: any) => [type, status, reason, message]);
  const isKept = (name: string) =>
    until(
      async () =>
        (await get(name)).metadata.finalizers?.includes(SERVICE_CIDR_FINALIZER) === true &&
        ready(await get(name)) !== undefined,
      `${name} is ready and has its finalizer`,
    );

  it('are ready and kept from deletion, whoever makes them', async () => {
    await create('a', ['10.4.0.0/24']);
    await isKept('a');
    assert.deepEqual(ready(await get('a')), [['Ready', 'True', '', 'Kubernetes Service CIDR is ready']]);
    assert.deepEqual((await get('a')).metadata.finalizers, [SERVICE_CIDR_FINALIZER]);
    await api.send('DELETE', `${cidrs}/a`);
    await until(() => isGone('a'), 'a is gone');
  });

  it('stay while an address lies in them and in no other', async () => {
    await create('b', ['10.5.0.0/24']);
    await isKept('b');
    assert.equal(
      (
        await api.send('POST', services, {
          metadata: { name: 'in-b' },
          spec: { clusterIP: '10.5.0.7', ports: [{ port: 80 }] },
        })
      ).status,
      201,
    );
    await api.send('DELETE', `${cidrs}/b`);
    await until(async () => ready(await get('b'))[0][2] === 'Terminating', 'b is terminating');
    assert.deepEqual(ready(await get('b'))[0].slice(0, 2), ['Ready', 'False']);
    await create('wider', ['10.5.0.0/23']);
    await until(() => isGone('b'), 'b is gone');
    await isKept('wider');
    await api.send('DELETE', `${cidrs}/wider`);
    await until(async () => ready(await get('wider'))[0][2] === 'Terminating', 'wider is terminating');
    await api.send('DELETE', `${services}/in-b`);
    await until(() => isGone('wider'), 'wider is gone');
  });

  it('of the options is left as it is, but for a second family', async () => {
    const told: string[] = [];
    const configured = (...ranges: string[]) =>
      new DefaultServiceCidr(stores('servicecidrs.networking.k8s.io'), ranges, (text) => told.push(text));
    const other = configured('10.9.0.0/24');
    await other.ensure();
    await other.ensure();
    assert.deepEqual(told, [
      'the default ServiceCIDR 10.0.0.0/24 does not match --service-cluster-ip-range=10.9.0.0/24: change the option, or delete the object',
    ]);
    await configured('10.0.0.0/24', 'fd00::/112').ensure();
    assert.deepEqual((await get('kubernetes')).spec.cidrs, ['10.0.0.0/24', 'fd00::/112']);
    assert.equal(
      (await api.send('PATCH', `${cidrs}/kubernetes`, { spec: { cidrs: ['10.0.0.0/24'] } }, merge)).status,
      422,
    );
  });

  it('of the options is made again when it is deleted', async () => {
    await create('twin', ['10.0.0.0/24', 'fd00::/112']);
    await isKept('kubernetes');
    await api.send('DELETE', `${cidrs}/kubernetes`);
    await until(() => isGone('kubernetes'), 'kubernetes is gone');
    await new DefaultServiceCidr(stores('servicecidrs.networking.k8s.io'), ['10.0.0.0/24'], (text) =>
      assert.fail(text),
    ).ensure();
    assert.deepEqual(ready(await get('kubernetes')), [
      ['Ready', 'True', '', 'Kubernetes default Service CIDR is ready'],
    ]);
  });
});
