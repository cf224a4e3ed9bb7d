import assert from 'node:assert/strict';
import type { Job } from '../../generated/types/batch-v1.ts';
import type { Pod } from '../../generated/types/core-v1.ts';
import { COMPLETION_INDEX } from './job-pods.ts';
import { podsToRemove } from './pods-to-remove.ts';

describe('podsToRemove', () => {
  const job = (spec: Partial<Job['spec']> = {}): Job =>
    ({ metadata: { name: 'work' }, spec: { template: { spec: { containers: [] } }, ...spec }, status: {} }) as Job;
  const indexed = job({ completionMode: 'Indexed', completions: 4 });
  const pod = (name: string, seconds: number, more: { index?: number; cost?: string; ready?: number } = {}): Pod => {
    const time = (at: number): string => new Date(Date.UTC(2026, 0, 1, 0, 0, at)).toISOString();
    const { index, cost, ready } = more;
    const annotations = {
      ...(index === undefined ? {} : { [COMPLETION_INDEX]: String(index) }),
      ...(cost === undefined ? {} : { 'controller.kubernetes.io/pod-deletion-cost': cost }),
    };
    const conditions =
      ready === undefined
        ? []
        : [{ type: 'Ready', status: 'True', lastProbeTime: null, lastTransitionTime: time(ready) }];
    return {
      metadata: { name, uid: name, creationTimestamp: time(seconds), annotations },
      spec: { containers: [], nodeName: 'n' },
      status: { phase: 'Running', conditions },
    };
  };
  const names = (pods: readonly Pod[]): string[] => pods.map(({ metadata }) => metadata.name!);

  it('takes the pod that was ready last, or that was created last, whatever its deletion costs', () => {
    const old = pod('old', 0, { ready: 1, cost: '-100' });
    const fresh = pod('fresh', 0, { ready: 2, cost: '100' });
    assert.deepEqual(names(podsToRemove(job(), [old, fresh], 1)), ['fresh']);
    assert.deepEqual(names(podsToRemove(job(), [pod('a', 1), pod('b', 2), pod('c', 1)], 2)), ['b', 'a']);
  });

  it('takes the lowest of indexes that have got equally far', () => {
    const pods = [2, 0, 3, 1].map((index) => pod(`p-${index}`, 0, { index }));
    assert.deepEqual(names(podsToRemove(indexed, pods, 2)), ['p-0', 'p-1']);
  });

  it('takes all pods without an index of the job and all but one of each index, however few are too many', () => {
    const pods = [
      pod('none', 0),
      pod('outside', 0, { index: 4 }),
      pod('second', 5, { index: 1 }),
      pod('first', 0, { index: 1 }),
      pod('other', 0, { index: 2 }),
    ];
    assert.deepEqual(names(podsToRemove(indexed, pods, 0)), ['none', 'outside', 'second']);
    assert.deepEqual(names(podsToRemove(indexed, pods, 4)), ['none', 'outside', 'second', 'first']);
  });
});
