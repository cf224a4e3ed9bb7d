import assert from 'node:assert/strict';
import { daemonSets, replicaSets } from '../../../../pkg/api/apps/tokens.ts';
import { events, nodes, pods } from '../../../../pkg/api/core/tokens.ts';
import { podDisruptionBudgets } from '../../../../pkg/api/policy/tokens.ts';
import type { Resource } from '../../../../pkg/api/resource.ts';
import type { ApiObject } from '../../../../pkg/apimachinery/meta/object.ts';
import { controllerReference } from '../../../../pkg/client/reconcile/owner-references.ts';
import type { ControllersConfig } from '../../../../pkg/controllers/controllers-config.ts';
import { disruptionController } from '../../../../pkg/controllers/disruption/controller.ts';
import { podGcController } from '../../../../pkg/controllers/pod-gc/controller.ts';
import type { Pod } from '../../../../pkg/generated/types/core-v1.ts';
import type { PodDisruptionBudget } from '../../../../pkg/generated/types/policy-v1.ts';
import { until } from '../../../fixtures/until.ts';
import type { ControllerSuite } from '../controller-suite.ts';

const labels = { app: 'web' };
const containers = [{ name: 'main', image: 'app:1', resources: {} }];
const CONFIG = {} as ControllersConfig;

export const podsAndBudgets: ControllerSuite = {
  name: 'disruption and pod garbage collector',
  define(host) {
    let namespace: string;
    beforeEach(async () => (namespace = await host.namespace()));

    const pod = (name: string, more: Partial<Pod['metadata']> = {}, spec: object = {}): Promise<Pod> =>
      host.client.create(pods, {
        metadata: { name, namespace, labels, ...more },
        spec: { containers, automountServiceAccountToken: false, ...spec },
        status: {},
      });
    const setStatus = (name: string, status: object): Promise<unknown> =>
      host.client.patch(pods, { namespace, name }, 'merge', { status }, { subresource: 'status' });
    const ready = (name: string): Promise<unknown> =>
      setStatus(name, { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] });
    const ownedBy = (resource: Resource, owner: ApiObject) => ({
      ownerReferences: [controllerReference(resource, owner)],
    });
    const budget = (name: string, spec: object): Promise<unknown> =>
      host.client.create(podDisruptionBudgets, {
        metadata: { name, namespace },
        spec: { selector: { matchLabels: labels }, ...spec },
        status: { disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 },
      });
    const statusOf = async (name: string): Promise<PodDisruptionBudget['status']> =>
      (await host.client.get(podDisruptionBudgets, { namespace, name })).status;
    const has = (name: string, ...counts: number[]): Promise<void> =>
      until(
        async () => {
          const { expectedPods, desiredHealthy, currentHealthy, disruptionsAllowed } = await statusOf(name);
          return counts.join() === [expectedPods, desiredHealthy, currentHealthy, disruptionsAllowed].join();
        },
        `${counts.join(', ')} in the status of ${name}`,
      );
    const evict = (name: string): Promise<unknown> => {
      const body = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name } };
      return host.client.subresource(pods, { namespace, name }, 'eviction', { method: 'POST', body });
    };

    it('counts by the scale of owners, and evictions go as far as it says', async () => {
      const set = await host.client.create(replicaSets, {
        metadata: { name: 'web', namespace },
        spec: {
          replicas: 3,
          selector: { matchLabels: labels },
          template: { metadata: { labels }, spec: { containers } },
        },
        status: { replicas: 0 },
      });
      await budget('half', { minAvailable: '50%' });
      await host.start((context) => disruptionController.create(context, CONFIG)!);
      for (const name of ['a', 'b']) await pod(name, ownedBy(replicaSets, set));
      await has('half', 3, 2, 0, 0);
      await ready('a');
      await ready('b');
      await has('half', 3, 2, 2, 0);
      await assert.rejects(evict('a'), /disruption budget/);
      await pod('c', ownedBy(replicaSets, set));
      await ready('c');
      await has('half', 3, 2, 3, 1);
      await evict('a');
      await has('half', 3, 2, 2, 0);
      const { conditions, observedGeneration } = await statusOf('half');
      assert.deepEqual(
        conditions?.map(({ type, status, reason }) => [type, status, reason]),
        [['DisruptionAllowed', 'False', 'InsufficientPods']],
      );
      assert.equal(observedGeneration, 1);
    });

    it('allows nothing where the owner of pods has no scale, and says so once', async () => {
      const set = await host.client.create(daemonSets, {
        metadata: { name: 'agent', namespace },
        spec: {
          selector: { matchLabels: labels },
          template: { metadata: { labels }, spec: { containers } },
          updateStrategy: {},
        },
        status: { currentNumberScheduled: 0, desiredNumberScheduled: 0, numberMisscheduled: 0, numberReady: 0 },
      });
      await pod('a', ownedBy(daemonSets, set));
      await budget('one', { maxUnavailable: 1 });
      await host.start((context) => disruptionController.create(context, CONFIG)!);
      const message = 'daemonsets.apps does not implement the scale subresource';
      await until(async () => (await statusOf('one')).conditions?.[0]?.message === message, 'the failure');
      assert.equal((await statusOf('one')).conditions?.[0]?.reason, 'SyncFailed');
      const note = `Failed to calculate the number of expected pods: ${message}`;
      const notes = async () => (await host.client.list(events, { namespace })).items.map((event) => event.message);
      await until(async () => (await notes()).includes(note), 'the event');
    });

    it('deletes ended pods beyond the threshold, and deleted ones that have no node', async () => {
      for (const name of ['old', 'new']) {
        await pod(name);
        await setStatus(name, { phase: 'Failed' });
      }
      await setStatus('old', { reason: 'Evicted' });
      const finalizers = ['example.org/hold'];
      await pod('held', { finalizers });
      await host.client.delete(pods, { namespace, name: 'held' });
      await host.client.create(nodes, {
        metadata: { name: `${namespace}-off` },
        spec: { taints: [{ key: 'node.kubernetes.io/out-of-service', effect: 'NoExecute' }] },
        status: {} as never,
      });
      await pod('out', {}, { nodeName: `${namespace}-off` });
      await host.client.delete(pods, { namespace, name: 'out' }, { gracePeriodSeconds: 600 });
      // Pods of other tests count as well.
      const ended = (await host.client.list(pods)).items.filter(({ status }) => /Failed|Succeeded/.test(status.phase!));
      const config = { podGc: { terminatedPodsMax: ended.length - 1 } } as ControllersConfig;
      await host.start((context) => podGcController.create(context, config)!);
      const found = async (): Promise<string> =>
        (await host.client.list(pods, { namespace })).items
          .map(({ metadata, status }) => `${metadata.name} ${status.phase}`)
          .sort()
          .join(', ');
      await until(async () => (await found()) === 'held Failed, new Failed', 'one round');
      const held = await host.client.get(pods, { namespace, name: 'held' });
      assert.equal(held.status.conditions, undefined);
      await host.client.patch(pods, { namespace, name: 'held' }, 'merge', { metadata: { finalizers: null } });
      await host.client.delete(nodes, { name: `${namespace}-off` });
    });
  },
};
