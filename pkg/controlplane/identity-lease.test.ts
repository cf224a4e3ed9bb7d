import assert from 'node:assert/strict';
import { hostname } from 'node:os';
import { startTestServer, type TestServer } from '../../test/fixtures/test-server.ts';
import { until } from '../../test/fixtures/until.ts';
import { collectLeases, keepIdentityLease, serverIdentity } from './identity-lease.ts';

const leases = '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases';

describe('identity leases', () => {
  let server: TestServer;
  const store = () => server.running.server.storeOf('leases.coordination.k8s.io');
  const get = async (name: string) => (await server.client.get(`${leases}/${name}`)).json;
  before(async () => {
    server = await startTestServer();
  });
  after(() => server.stop());

  it('are called after a hash of the host', () => {
    // The first 16 bytes of SHA-256, in base32.
    assert.equal(serverIdentity('node-1'), 'apiserver-gwlrxzxjxmbevckvql7a4qxaja');
    assert.match(serverIdentity(''), /^apiserver-[a-z2-7]{26}$/);
  });

  it('say which server is there', async () => {
    const lease = await get(serverIdentity(hostname()));
    assert.deepEqual(lease.metadata.labels, {
      'apiserver.kubernetes.io/identity': 'kube-apiserver',
      'kubernetes.io/hostname': hostname(),
    });
    const { holderIdentity, leaseDurationSeconds, renewTime } = lease.spec;
    assert.match(holderIdentity, new RegExp(`^${serverIdentity(hostname())}_[0-9a-f-]{36}$`));
    assert.equal(leaseDurationSeconds, 3600);
    assert.match(renewTime, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
    assert.ok(Math.abs(Date.parse(renewTime) - Date.now()) < 60_000);
  });

  it('are renewed, labels included, and come back when somebody deletes them', async () => {
    const errors: unknown[] = [];
    let now = Date.parse('2040-01-01T00:00:00Z');
    const kept = await keepIdentityLease(store(), {
      hostname: 'other',
      onError: (error) => errors.push(error),
      nowMs: () => now,
      renewMs: 20,
    });
    try {
      const name = serverIdentity('other');
      const first = await get(name);
      assert.equal(first.spec.renewTime, '2040-01-01T00:00:00.000000Z');
      now += 10_000;
      await server.client.send('PUT', `${leases}/${name}`, { ...first, metadata: { name, namespace: 'kube-system' } });
      await until(
        async () =>
          (await get(name)).spec.renewTime === '2040-01-01T00:00:10.000000Z' &&
          (await get(name)).metadata.labels !== undefined,
        'the lease is renewed',
      );
      await server.client.delete(`${leases}/${name}`);
      await until(
        async () => (await get(name)).spec?.holderIdentity === first.spec.holderIdentity,
        'the lease comes back',
      );
      assert.deepEqual(errors, []);
    } finally {
      await kept.stop();
    }
  });

  it('are collected when they have ended, and no other lease is', async () => {
    const labels = { 'apiserver.kubernetes.io/identity': 'kube-apiserver' };
    const ended = { leaseDurationSeconds: 3600, renewTime: '2020-01-01T00:00:00.000000Z' };
    const bodies = [
      { metadata: { name: 'ended', labels }, spec: ended },
      { metadata: { name: 'silent', labels }, spec: {} },
      { metadata: { name: 'unrelated' }, spec: ended },
      { metadata: { name: 'alive', labels }, spec: { ...ended, renewTime: '2020-01-01T00:30:00.000000Z' } },
    ];
    for (const body of bodies) assert.equal((await server.client.post(leases, body)).status, 201);
    await collectLeases(store(), Date.parse('2020-01-01T01:10:00Z'));
    const names: string[] = (await server.client.get(leases)).json.items.map(
      (item: { metadata: { name: string } }) => item.metadata.name,
    );
    assert.deepEqual(
      names.filter((name) => bodies.some((body) => body.metadata.name === name)),
      ['alive', 'unrelated'],
    );
    assert.ok(names.includes(serverIdentity(hostname())));
  });
});
