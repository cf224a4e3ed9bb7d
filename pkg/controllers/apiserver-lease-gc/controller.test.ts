import assert from 'node:assert/strict';
import { leases } from '../../api/coordination/tokens.ts';
import type { LeaseSpec } from '../../generated/types/coordination-v1.ts';
import { IDENTITY, IDENTITY_LABEL, NAMESPACE } from '../apiserver-identity-lease/server-identity.ts';
import { ControllersFixture } from '../controllers-testing.ts';
import { apiserverLeaseGcController } from './controller.ts';

describe('the apiserver-lease-gc controller', () => {
  let fixture: ControllersFixture;
  beforeEach(() => (fixture = new ControllersFixture()));
  afterEach(() => fixture.stop());
  const time = (offsetMs: number): string => new Date(fixture.clock.wallMs() + offsetMs).toISOString();
  const add = (name: string, spec: LeaseSpec, labels: Record<string, string> = { [IDENTITY_LABEL]: IDENTITY }) =>
    fixture.client.create(leases, { metadata: { namespace: NAMESPACE, name, labels }, spec });
  const names = async () => (await fixture.client.list(leases)).items.map(({ metadata }) => metadata.name).toSorted();

  it('deletes the leases of servers that have ended, at its start and every hour, and no other lease', async () => {
    const ended = { leaseDurationSeconds: 3600, renewTime: time(-3600_001) };
    await add('ended', ended);
    await add('silent', {});
    await add('unrelated', ended, {});
    await add('alive', { leaseDurationSeconds: 3600, renewTime: time(-1000) });
    await fixture.start(apiserverLeaseGcController(fixture.context));
    assert.deepEqual(await names(), ['alive', 'unrelated']);
    const calls = fixture.requests.length;
    await fixture.clock.advance(3600_000 - 1);
    assert.equal(fixture.requests.length, calls);
    await fixture.clock.advance(1);
    assert.deepEqual([await names(), fixture.errors], [['unrelated'], []]);
  });
});
