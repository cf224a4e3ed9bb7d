import assert from 'node:assert/strict';
import { deployments, replicaSets } from '../../api/apps/tokens.ts';
import { events, pods } from '../../api/core/tokens.ts';
import { podDisruptionBudgets } from '../../api/policy/tokens.ts';
import { controllerReference } from '../../client/reconcile/owner-references.ts';
import type { ApiObject } from '../../apimachinery/meta/object.ts';
import type { PodDisruptionBudget } from '../../generated/types/policy-v1.ts';
import type { ControllersConfig } from '../controllers-config.ts';
import { ControllersFixture } from '../controllers-testing.ts';
import { labels, podOf } from '../service-endpoints/objects-testing.ts';
import { disruptionController } from './controller.ts';
import { selectorText } from './selector-text.ts';

const spec = { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers: [] } } };

describe('the disruption controller', () => {
  let fixture: ControllersFixture;
  beforeEach(() => {
    fixture = new ControllersFixture();
    const resources = [
      { name: 'replicasets', kind: 'ReplicaSet', namespaced: true, singularName: '', verbs: ['get'] },
      { name: 'replicasets/scale', kind: 'Scale', namespaced: true, singularName: '', verbs: ['get'] },
    ];
    const versions = [{ groupVersion: 'apps/v1', version: 'v1' }];
    fixture.client.paths
      .set('/apis', { groups: [{ name: 'apps', versions, preferredVersion: versions[0] }] })
      .set('/api/v1', { resources: [] })
      .set('/apis/apps/v1', { resources });
  });
  afterEach(() => fixture.stop());
  const start = (): Promise<void> =>
    fixture.start(disruptionController.create(fixture.context, {} as ControllersConfig)!);
  const name = { namespace: 'ns', name: 'b' };
  const create = (budget: object): Promise<unknown> =>
    fixture.client.create(podDisruptionBudgets, {
      metadata: name,
      spec: { selector: { matchLabels: labels }, ...budget },
      status: { disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 },
    });
  const counts = async (): Promise<unknown> => {
    const { status } = await fixture.client.get(podDisruptionBudgets, name);
    const { expectedPods, desiredHealthy, currentHealthy, disruptionsAllowed } = status;
    return [expectedPods, desiredHealthy, currentHealthy, disruptionsAllowed, status.conditions?.[0]?.reason];
  };
  const makePods = async (count: number, owner?: ApiObject): Promise<void> => {
    const ownerReferences = owner === undefined ? undefined : [controllerReference(replicaSets, owner)];
    for (let i = 0; i < count; i++) {
      const pod = podOf(`p-${i}`, `10.0.0.${i + 1}`);
      await fixture.client.create(pods, { ...pod, metadata: { ...pod.metadata, ownerReferences } });
    }
  };
  const makeSet = async (): Promise<ApiObject> => {
    const metadata = { name: 'web', namespace: 'ns' };
    const parent = await fixture.client.create(deployments, {
      metadata,
      spec: { replicas: 5, ...spec },
      status: {},
    } as never);
    return fixture.client.create(replicaSets, {
      metadata: { ...metadata, ownerReferences: [controllerReference(deployments, parent)] },
      spec: { replicas: 3, ...spec },
      status: { replicas: 0 },
    });
  };
  const status = (change: Partial<PodDisruptionBudget['status']>): Promise<unknown> =>
    fixture.client.patch(podDisruptionBudgets, name, 'merge', { status: change }, { subresource: 'status' });

  it('counts the pods themselves for a number that must stay', async () => {
    await makePods(3);
    await create({ minAvailable: 2 });
    await start();
    assert.deepEqual(await counts(), [3, 2, 3, 1, 'SufficientPods']);
    await fixture.client.delete(pods, { namespace: 'ns', name: 'p-0' }, { gracePeriodSeconds: 0 });
    await fixture.clock.advance(100);
    assert.deepEqual(await counts(), [2, 2, 2, 0, 'InsufficientPods']);
    assert.deepEqual(fixture.errors, []);
  });

  it('counts what the owner of the owner wants for a share', async () => {
    await makePods(4, await makeSet());
    await create({ maxUnavailable: '40%' });
    await start();
    assert.deepEqual(await counts(), [5, 3, 4, 1, 'SufficientPods']);
  });

  it('names pods that nothing manages in an event, and allows nothing', async () => {
    await makePods(2);
    await create({ maxUnavailable: 1 });
    await start();
    assert.deepEqual(await counts(), [0, 0, 2, 0, 'InsufficientPods']);
    const reasons = (await fixture.client.list(events)).items.map(({ reason }) => reason);
    assert.ok(reasons.includes('UnmanagedPods'));
    assert.match(selectorText(spec.selector), /^&LabelSelector\{MatchLabels:map\[string\]string\{app: web,\},Match/);
  });

  it('says why the counts cannot be found', async () => {
    const set = await makeSet();
    await makePods(1, set);
    await fixture.client.delete(replicaSets, { namespace: 'ns', name: 'web' });
    await create({ minAvailable: '50%' });
    await start();
    const { conditions } = (await fixture.client.get(podDisruptionBudgets, name)).status;
    assert.deepEqual(
      conditions!.map(({ reason, message, observedGeneration }) => [reason, message, observedGeneration]),
      [['SyncFailed', 'found no controllers for pod "p-0"', undefined]],
    );
    const failures = async (): Promise<unknown> =>
      (await fixture.client.list(events)).items
        .filter(({ reason }) => reason === 'CalculateExpectedPodCountFailed')
        .map(({ count }) => count);
    const before = await failures();
    await fixture.clock.advance(600_000);
    assert.deepEqual(await failures(), before);
    assert.deepEqual(fixture.errors, []);
  });

  it('counts a set by its own replicas where its deployment is gone', async () => {
    await makePods(3, await makeSet());
    await fixture.client.delete(deployments, { namespace: 'ns', name: 'web' });
    await create({ maxUnavailable: 1 });
    await start();
    assert.deepEqual(await counts(), [3, 2, 3, 1, 'SufficientPods']);
  });

  it('says of a pod that several budgets want it, when it changes', async () => {
    await makePods(1);
    await create({ minAvailable: 1 });
    await fixture.client.create(podDisruptionBudgets, {
      metadata: { namespace: 'ns', name: 'a' },
      spec: { selector: { matchLabels: labels }, minAvailable: 0 },
      status: { disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 },
    });
    await start();
    await fixture.client.patch(pods, { namespace: 'ns', name: 'p-0' }, 'merge', {
      metadata: { annotations: { x: 'y' } },
    });
    await fixture.clock.advance(0);
    const notes = (await fixture.client.list(events)).items
      .filter(({ reason }) => reason === 'MultiplePodDisruptionBudgets')
      .map(({ message }) => message);
    assert.equal(notes[0], 'Pod "ns"/"p-0" matches multiple PodDisruptionBudgets.  Chose "a" arbitrarily.');
    assert.deepEqual(await counts(), [1, 1, 1, 0, 'InsufficientPods']);
  });

  it('counts a pod that may be evicted as gone for two minutes', async () => {
    await makePods(3);
    await create({ minAvailable: 1 });
    await start();
    await status({ disruptedPods: { 'p-0': new Date(fixture.clock.wallMs()).toISOString().replace(/\.\d+/, '') } });
    await fixture.clock.advance(0);
    assert.deepEqual(await counts(), [3, 1, 2, 1, 'SufficientPods']);
    await fixture.clock.advance(125_000);
    assert.deepEqual(await counts(), [3, 1, 3, 2, 'SufficientPods']);
  });

  it('takes the mark of a disruption back from a pod that stays, but not that of its node', async () => {
    await makePods(2);
    await start();
    const mark = (i: number, reason: string): Promise<unknown> => {
      const lastTransitionTime = new Date(fixture.clock.wallMs()).toISOString();
      const conditions = [{ type: 'DisruptionTarget', status: 'True', reason, lastTransitionTime }];
      const pod = { namespace: 'ns', name: `p-${i}` };
      return fixture.client.patch(pods, pod, 'merge', { status: { conditions } }, { subresource: 'status' });
    };
    await mark(0, 'x');
    await mark(1, 'TerminationByKubelet');
    await fixture.clock.advance(125_000);
    const marks = (await fixture.client.list(pods)).items.map(({ status }) => status.conditions![0]!);
    assert.deepEqual(
      marks.map((condition) => [condition.status, condition.reason]),
      [
        ['False', undefined],
        ['True', 'TerminationByKubelet'],
      ],
    );
  });
});
