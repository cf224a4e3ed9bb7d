import assert from 'node:assert/strict';
import { leases } from '../../api/coordination/tokens.ts';
import { ControllersFixture } from '../controllers-testing.ts';
import { apiserverIdentityLeaseController } from './controller.ts';
import { NAMESPACE, serverIdentity } from './server-identity.ts';

const server = { hostname: 'node-1', holder: 'this start' };
const name = { namespace: NAMESPACE, name: serverIdentity('node-1') };

describe('the apiserver-identity-lease controller', () => {
  let fixture: ControllersFixture;
  beforeEach(() => (fixture = new ControllersFixture()));
  afterEach(() => fixture.stop());
  const lease = () => fixture.client.get(leases, name);
  const writes = (): readonly string[] => fixture.client.writes.map(({ verb }) => verb);
  const microTime = () => new Date(fixture.clock.wallMs()).toISOString().replace('Z', '000Z');
  const start = (hostname = 'node-1'): Promise<void> =>
    fixture.start(apiserverIdentityLeaseController(fixture.context, { ...server, hostname }));

  it('names leases after a hash of the host', () => {
    // The first 16 bytes of SHA-256, in base32.
    assert.equal(serverIdentity('node-1'), 'apiserver-gwlrxzxjxmbevckvql7a4qxaja');
    assert.match(serverIdentity(''), /^apiserver-[a-z2-7]{26}$/);
  });

  it('makes the lease, then renews it every ten seconds by one write each, and does nothing else', async () => {
    await start();
    const { metadata, spec } = await lease();
    assert.deepEqual(metadata.labels, {
      'apiserver.kubernetes.io/identity': 'kube-apiserver',
      'kubernetes.io/hostname': 'node-1',
    });
    assert.deepEqual(spec, { holderIdentity: 'this start', leaseDurationSeconds: 3600, renewTime: microTime() });
    const calls = fixture.requests.length;
    await fixture.clock.advance(30_000);
    assert.deepEqual([writes(), fixture.requests.length - calls], [['create', 'update', 'update', 'update'], 3]);
    assert.equal((await lease()).spec.renewTime, microTime());
  });

  it('takes over the lease of an earlier start, and restores removed labels', async () => {
    await fixture.client.create(leases, { metadata: name, spec: { holderIdentity: 'an earlier start' } });
    await start();
    const { metadata, spec } = await lease();
    assert.deepEqual(
      [spec.holderIdentity, metadata.labels?.['kubernetes.io/hostname'], fixture.errors],
      ['this start', 'node-1', []],
    );
  });

  it('makes a lease again that was deleted', async () => {
    await start();
    await fixture.client.delete(leases, name);
    await fixture.clock.advance(10_000);
    assert.equal((await lease()).spec.holderIdentity, 'this start');
  });

  it('has no label for a host whose name is none', async () => {
    await start('a host');
    const { metadata } = await fixture.client.get(leases, { namespace: NAMESPACE, name: serverIdentity('a host') });
    assert.deepEqual(metadata.labels, { 'apiserver.kubernetes.io/identity': 'kube-apiserver' });
  });

  it('tries again before the next renewal is due', async () => {
    let failures = 2;
    fixture.client.before = ({ verb }) => {
      if (verb === 'create' && failures-- > 0) throw new Error('no room');
    };
    await start();
    await fixture.clock.advance(2000);
    assert.equal((await lease()).spec.holderIdentity, 'this start');
    assert.equal(fixture.errors.length, 2);
  });
});
