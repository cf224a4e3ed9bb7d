import assert from 'node:assert/strict';
import { FakeClock } from '../../apimachinery/clock-testing.ts';
import { FakeClient } from '../testing/fake-client-testing.ts';
import { FakeCluster } from '../testing/fake-cluster-testing.ts';
import { LockHolder } from './lock-holder.ts';
import { lockKinds, newResourceLock, type LockKind } from './new-resource-lock.ts';

const name = { namespace: 'kube-system', name: 'manager' };
const { signal } = new AbortController();

describe('LockHolder', () => {
  const holderOf = (cluster: FakeCluster, kind: LockKind, identity: string, clock = new FakeClock()) => {
    const client = new FakeClient(cluster);
    const lock = newResourceLock(kind, client, name);
    return { client, holder: new LockHolder({ lock, identity, leaseDurationMs: 15_000, clock }) };
  };

  for (const kind of lockKinds) {
    it(`releases ${kind} although a renewal that was cancelled arrives before the release`, async () => {
      const cluster = new FakeCluster();
      const clock = new FakeClock();
      const a = holderOf(cluster, kind, 'a', clock);
      // The same process by another connection: its request is on its way when the release begins.
      const late = holderOf(cluster, kind, 'a', clock);
      assert.equal(await a.holder.acquireOrRenew(signal), true);
      let isLate = true;
      a.client.before = async ({ verb }) => {
        if (verb !== 'update' || !isLate) return;
        isLate = false;
        await clock.advance(1000);
        await late.holder.acquireOrRenew(signal);
      };
      await a.holder.release(signal);
      assert.equal(isLate, false);
      const b = holderOf(cluster, kind, 'b', clock);
      assert.equal(await b.holder.acquireOrRenew(signal), true);
    });
  }

  for (const [kind, known] of [
    ['endpointsleases', 'leases'],
    ['configmapsleases', 'leases'],
    ['endpointsleases', 'endpoints'],
  ] as const) {
    it(`does not take ${kind} from a candidate that holds ${known} alone and renews`, async () => {
      const cluster = new FakeCluster();
      const clock = new FakeClock();
      const both = holderOf(cluster, kind, 'both', clock);
      await both.holder.acquireOrRenew(signal);
      await both.holder.release(signal);
      const old = holderOf(cluster, known, 'old', clock);
      assert.equal(await old.holder.acquireOrRenew(signal), true);
      for (let renewals = 0; renewals < 10; renewals++) {
        for (let tries = 0; tries < 2; tries++) {
          assert.equal(await both.holder.acquireOrRenew(signal), false);
          await clock.advance(2000);
        }
        assert.equal(await old.holder.acquireOrRenew(signal), true);
      }
    });
  }
});
