import assert from 'node:assert/strict';
import { deployments } from '../../api/apps/tokens.ts';
import { pods, serviceAccounts } from '../../api/core/tokens.ts';
import { podDisruptionBudgets } from '../../api/policy/tokens.ts';
import type { Scale } from '../../generated/types/autoscaling-v1.ts';
import type { TokenRequest } from '../../generated/types/authentication-v1.ts';
import type { Pod } from '../../generated/types/core-v1.ts';
import type { PodDisruptionBudget } from '../../generated/types/policy-v1.ts';
import type { Client } from './client.ts';
import { failsWith, type ContractFixture } from './client-contract-fixture.ts';

/** What every implementation of `Client` keeps of subresources. */
export function describeSubresources(fixture: ContractFixture): void {
  const { named, pod, deployment } = fixture;
  describe('subresources', () => {
    let client: Client;
    beforeEach(() => ({ client } = fixture));

    it('change the status alone', async () => {
      const created = await client.create(pods, pod('p'));
      const wanted = {
        ...created,
        status: { ...created.status, phase: 'Running' },
        spec: { ...created.spec, priority: 7 },
      };
      const updated = await client.update(pods, wanted as Pod, { subresource: 'status' });
      assert.deepEqual([updated.status.phase, updated.spec], ['Running', created.spec]);
      const patched = await client.patch(
        pods,
        named('p'),
        'merge',
        { status: { phase: 'Failed' } },
        { subresource: 'status' },
      );
      assert.equal(patched.status.phase, 'Failed');
    });

    it('bind pods to nodes', async () => {
      await client.create(pods, pod('p'));
      const body = { apiVersion: 'v1', kind: 'Binding', metadata: named('p'), target: { kind: 'Node', name: 'n' } };
      await client.subresource(pods, named('p'), 'binding', { method: 'POST', body });
      assert.equal((await client.get(pods, named('p'))).spec.nodeName, 'n');
    });

    it('evict pods, and say 429 where a budget forbids it', async () => {
      const evict = (name: string): Promise<unknown> =>
        client.subresource(pods, named(name), 'eviction', {
          method: 'POST',
          body: { apiVersion: 'policy/v1', kind: 'Eviction', metadata: named(name) },
        });
      await client.create(pods, pod('free'));
      await evict('free');
      await failsWith(client.get(pods, named('free')), 404, 'NotFound');
      const selector = { matchLabels: { app: 'kept' } };
      const budget = {
        metadata: named('kept'),
        spec: { minAvailable: 1, selector },
        status: {},
      } as unknown as PodDisruptionBudget;
      const { metadata, spec } = await client.create(podDisruptionBudgets, budget);
      const status = {
        observedGeneration: 1,
        disruptionsAllowed: 0,
        currentHealthy: 1,
        desiredHealthy: 1,
        expectedPods: 1,
      };
      await client.update(podDisruptionBudgets, { metadata, spec, status }, { subresource: 'status' });
      const kept = await client.create(pods, pod('kept', { app: 'kept' }));
      const ready = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] };
      await client.update(pods, { ...kept, status: ready } as unknown as Pod, { subresource: 'status' });
      await failsWith(evict('kept'), 429, 'TooManyRequests');
    });

    it('scale', async () => {
      await client.create(deployments, deployment('d', 2));
      const scale = await client.subresource<Scale>(deployments, named('d'), 'scale', { method: 'GET' });
      assert.deepEqual([scale.kind, scale.spec.replicas], ['Scale', 2]);
      const body = { ...scale, spec: { replicas: 5 } };
      const changed = await client.subresource<Scale>(deployments, named('d'), 'scale', { method: 'PUT', body });
      assert.equal(changed.spec.replicas, 5);
      assert.equal((await client.get(deployments, named('d'))).spec.replicas, 5);
    });

    it('make tokens of service accounts', async () => {
      await client.create(serviceAccounts, { metadata: named('robot') });
      const body = {
        apiVersion: 'authentication.k8s.io/v1',
        kind: 'TokenRequest',
        metadata: {},
        spec: { audiences: [], expirationSeconds: 600 },
      };
      const made = await client.subresource<TokenRequest>(serviceAccounts, named('robot'), 'token', {
        method: 'POST',
        body,
      });
      assert.match(made.status.token, /^[\w-]+\.[\w-]+\.[\w-]+$/);
    });
  });
}
