import assert from 'node:assert/strict';
import { lookupOf, refusalOf, requestFor } from '../plugin-testing.ts';
import { priorityPlugin } from './plugin.ts';

const CLASSES = 'priorityclasses.scheduling.k8s.io';
const usual = { criticalByAnnotation: false };

describe('Priority', () => {
  const high = { metadata: { name: 'high' }, value: 5000, preemptionPolicy: 'Never' };
  const low = { metadata: { name: 'low' }, value: 10, globalDefault: true, preemptionPolicy: 'PreemptLowerPriority' };
  const ranked = async (classes: object[], spec: object) => {
    const pod = { metadata: { name: 'r', namespace: 'd' }, spec };
    const refused = await refusalOf(priorityPlugin(lookupOf({ [CLASSES]: classes }), usual), requestFor('pods', pod));
    return refused ?? pod.spec;
  };

  it('sets the priority of pods without a class', async () => {
    assert.deepEqual(await ranked([high], {}), { priority: 0, preemptionPolicy: 'PreemptLowerPriority' });
    assert.deepEqual(await ranked([high, low], {}), {
      priorityClassName: 'low',
      priority: 10,
      preemptionPolicy: 'PreemptLowerPriority',
    });
  });

  it('sets the priority of pods by their class', async () => {
    assert.deepEqual(await ranked([high], { priorityClassName: 'high' }), {
      priorityClassName: 'high',
      priority: 5000,
      preemptionPolicy: 'Never',
    });
    assert.equal(
      await ranked([], { priorityClassName: 'nope' }),
      '403 pods "r" is forbidden: no PriorityClass with name nope was found',
    );
  });

  it('sets the priority of critical system pods by their annotation, where that counts', async () => {
    const critical = {
      metadata: { name: 'system-cluster-critical' },
      value: 2_000_000_000,
      preemptionPolicy: 'PreemptLowerPriority',
    };
    const rank = async (
      namespace: string,
      annotations: object,
      criticalByAnnotation = true,
      priorityClassName?: string,
    ) => {
      const pod = {
        metadata: { name: 'r', namespace, annotations },
        spec: { priorityClassName } as { priorityClassName?: string },
      };
      assert.equal(
        await refusalOf(
          priorityPlugin(lookupOf({ [CLASSES]: [critical, high] }), { criticalByAnnotation }),
          requestFor('pods', pod),
        ),
        undefined,
      );
      return pod.spec.priorityClassName;
    };
    const marked = { 'scheduler.alpha.kubernetes.io/critical-pod': '' };
    assert.equal(await rank('kube-system', marked), 'system-cluster-critical');
    assert.equal(await rank('kube-system', marked, false), undefined);
    assert.equal(await rank('default', marked), undefined);
    assert.equal(await rank('kube-system', { 'scheduler.alpha.kubernetes.io/critical-pod': 'no' }), undefined);
    assert.equal(await rank('kube-system', marked, true, 'high'), 'high');
  });

  it('accepts no numbers from clients', async () => {
    assert.equal(
      await ranked([], { priority: 7 }),
      '403 pods "r" is forbidden: the integer value of priority (7) must not be provided in pod spec; priority admission controller computed 0 from the given PriorityClass name',
    );
    assert.match(
      String(await ranked([], { preemptionPolicy: 'Never' })),
      /the string value of PreemptionPolicy \(Never\) must not be provided in pod spec/,
    );
  });

  it('keeps the priority over updates that leave it out', async () => {
    const pod = { metadata: { name: 'r' }, spec: {} };
    const old = { metadata: { name: 'r' }, spec: { priority: 3, preemptionPolicy: 'Never' } };
    await refusalOf(
      priorityPlugin(lookupOf({}), usual),
      requestFor('pods', pod, { operation: 'UPDATE', oldObject: old }),
    );
    assert.deepEqual(pod.spec, { priority: 3, preemptionPolicy: 'Never' });
  });

  it('allows one default class', async () => {
    const plugin = priorityPlugin(lookupOf({ [CLASSES]: [low] }), usual);
    const other = { ...high, globalDefault: true };
    assert.equal(
      await refusalOf(plugin, requestFor(CLASSES, other)),
      '403 priorityclasses.scheduling.k8s.io "high" is forbidden: PriorityClass low is already marked as default. Only one default can exist',
    );
    assert.equal(await refusalOf(plugin, requestFor(CLASSES, low, { operation: 'UPDATE' })), undefined);
    assert.equal(await refusalOf(plugin, requestFor(CLASSES, high)), undefined);
  });
});
