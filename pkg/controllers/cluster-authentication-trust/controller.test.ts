import assert from 'node:assert/strict';
import { configMaps } from '../../api/core/tokens.ts';
import { TestAuthority } from '../../net/certificates-testing.ts';
import { ControllersFixture } from '../controllers-testing.ts';
import { clusterAuthenticationTrustController } from './controller.ts';
import { mergeTrust } from './merge-trust.ts';
import { NAME, NAMESPACE } from './reconcile.ts';
import type { AuthenticationTrust } from './trust.ts';

const DAY_MS = 24 * 3600 * 1000;

describe('the cluster-authentication-trust controller', () => {
  let clients: TestAuthority;
  let proxies: TestAuthority;
  let others: TestAuthority;
  let fixture: ControllersFixture;
  before(async () => {
    [clients, proxies, others] = await Promise.all([
      TestAuthority.create(),
      TestAuthority.create(),
      TestAuthority.create(),
    ]);
  });
  beforeEach(() => (fixture = new ControllersFixture()));
  afterEach(() => fixture.stop());

  const full = (): AuthenticationTrust => ({
    clientCa: clients.pem,
    requestHeader: {
      ca: proxies.pem,
      usernameHeaders: ['X-Remote-User'],
      groupHeaders: ['X-Remote-Group'],
      extraHeaderPrefixes: ['X-Remote-Extra-'],
      allowedNames: ['front'],
    },
  });
  const data = async () => (await fixture.client.get(configMaps, { namespace: NAMESPACE, name: NAME })).data;
  const start = (trust: () => AuthenticationTrust): Promise<void> =>
    fixture.start(clusterAuthenticationTrustController(fixture.context, trust));

  it('publishes nothing where the server trusts no authority', async () => {
    await start(() => ({}));
    assert.deepEqual([fixture.client.writes, fixture.errors], [[], []]);
  });

  it('publishes whom the server believes, and asks and writes nothing while that stays so', async () => {
    await start(full);
    assert.deepEqual(await data(), {
      'client-ca-file': clients.pem,
      'requestheader-client-ca-file': proxies.pem,
      'requestheader-username-headers': '["X-Remote-User"]',
      'requestheader-group-headers': '["X-Remote-Group"]',
      'requestheader-extra-headers-prefix': '["X-Remote-Extra-"]',
      'requestheader-allowed-names': '["front"]',
    });
    const calls = fixture.requests.length;
    await fixture.clock.advance(3600_000);
    assert.equal(fixture.requests.length, calls);
  });

  it('publishes exchanged authorities, and restores removed ones', async () => {
    let clientCa = clients.pem;
    await start(() => ({ clientCa }));
    clientCa = others.pem;
    await fixture.clock.advance(60_000);
    assert.deepEqual(await data(), { 'client-ca-file': clients.pem + others.pem });
    const published = await fixture.client.get(configMaps, { namespace: NAMESPACE, name: NAME });
    await fixture.client.update(configMaps, { ...published, data: { kept: 'as it is' } });
    await fixture.clock.advance(0);
    assert.deepEqual(await data(), { kept: 'as it is', 'client-ca-file': others.pem });
  });

  it('reports files that cannot be read, and tries again', async () => {
    let tries = 0;
    await start(() => {
      if (tries++ === 0) throw new Error('no such file');
      return { clientCa: clients.pem };
    });
    await fixture.clock.advance(1000);
    assert.deepEqual(fixture.errors, [`cluster-authentication-trust ${NAMESPACE}/${NAME}: no such file`]);
    assert.deepEqual(await data(), { 'client-ca-file': clients.pem });
  });

  it('drops authorities that have expired, and replaces what cannot be read', () => {
    const nowMs = Date.now();
    const published = { 'client-ca-file': `${clients.pem}nonsense`, 'requestheader-username-headers': '{' };
    const merged = mergeTrust(published, full(), nowMs);
    assert.equal(merged['client-ca-file'], clients.pem);
    assert.equal(merged['requestheader-username-headers'], '["X-Remote-User"]');
    assert.equal(mergeTrust(merged, { clientCa: others.pem }, nowMs + 10 * DAY_MS)['client-ca-file'], '');
  });
});
