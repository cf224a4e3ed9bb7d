import assert from 'node:assert/strict';
import { startTestServer, type TestServer } from '../../server/server-testing.ts';
import { Bitmap } from './bitmap.ts';
import { AllocationRepair } from './repair.ts';
import { openServiceAllocators } from './service-allocators.ts';

describe('AllocationRepair', () => {
  let api: TestServer;
  let problems: string[];
  beforeEach(async () => {
    api = await startTestServer();
    problems = [];
  });
  afterEach(() => api.stop());
  const repairer = (allocators = api.allocators) => (
    new AllocationRepair({ services: api.server.storeOf('services'), allocators, onProblem: (text) => problems.push(text) })
  );
  const ips = () => api.allocators.clusterIps.get('IPv4')!;

  it('leaves a sound allocation as it is', async () => {
    await api.send('POST', '/api/v1/namespaces/default/services', { metadata: { name: 'a' }, spec: { type: 'NodePort', ports: [{ port: 80 }] } });
    const before = await ips().snapshot();
    await repairer().runOnce();
    assert.equal((await ips().snapshot()).revision, before.revision);
    assert.deepEqual(problems, []);
  });

  it('takes what a service holds', async () => {
    const { body } = await api.send('POST', '/api/v1/namespaces/default/services', { metadata: { name: 'a' }, spec: { ports: [{ port: 80 }] } });
    await ips().release([body.spec.clusterIP]);
    await repairer().runOnce();
    assert.deepEqual(problems, [`${body.spec.clusterIP} of service default/a was not allocated; repaired`]);
    await assert.rejects(ips().allocate(body.spec.clusterIP));
  });

  it('releases what nobody has held for three rounds', async () => {
    await ips().allocate('10.0.0.99');
    const repair = repairer();
    await repair.runOnce();
    await repair.runOnce();
    assert.equal((await ips().snapshot()).bitmap.has(98), true);
    await repair.runOnce();
    assert.equal((await ips().snapshot()).bitmap.has(98), false);
    assert.deepEqual(problems, ['10.0.0.99 was allocated to no service; released']);
  });

  it('makes the allocation of a range that is configured anew', async () => {
    await api.send('POST', '/api/v1/namespaces/default/services', { metadata: { name: 'a' }, spec: { clusterIP: '10.0.0.200', ports: [{ port: 80 }] } });
    const wider = openServiceAllocators(api.store, { clusterIps: ['10.0.0.0/16'], nodePorts: { low: 30_000, high: 32_767 } });
    await assert.rejects(wider.clusterIps.get('IPv4')!.allocateNext(), /is of range 10\.0\.0\.0\/24/);
    await repairer(wider).runOnce();
    await assert.rejects(wider.clusterIps.get('IPv4')!.allocate('10.0.0.200'), { message: 'provided IP is already allocated' });
    await wider.clusterIps.get('IPv4')!.allocate('10.0.7.7');
  });

  it('tells of addresses that it cannot make right', async () => {
    const narrower = openServiceAllocators(api.store, { clusterIps: ['10.0.1.0/24'], nodePorts: { low: 30_000, high: 32_767 } });
    const snapshot = await ips().snapshot();
    assert.equal(await ips().replace(snapshot, new Bitmap(254)), true);
    await repairer(narrower).runOnce();
    assert.deepEqual(problems, ['10.0.0.1 of service default/kubernetes is not within the service range 10.0.1.0/24; please recreate the service']);
  });
});
