import assert from 'node:assert/strict';
import type { Deployment, DeploymentStatus, ReplicaSet } from '../../generated/types/apps-v1.ts';
import { untilDeadlineMs } from './conditions.ts';
import { rolloutStatus } from './new-status.ts';
import { proportionalSizes } from './proportional-scale.ts';
import { desiredReplicasOf, newSetAnnotations, revisionOf } from './replica-set-annotations.ts';

const NOW = Date.parse('2026-03-01T12:00:00Z');
const PREFIX = 'deployment.kubernetes.io';

function deployment(replicas: number, status: DeploymentStatus = {}, annotations = {}): Deployment {
  return {
    metadata: { name: 'web', namespace: 'ns', uid: 'd', generation: 1, annotations },
    spec: {
      replicas,
      selector: { matchLabels: { app: 'web' } },
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
      progressDeadlineSeconds: 60,
      template: { metadata: {}, spec: { containers: [] } },
    },
    status,
  };
}

function set(name: string, replicas: number, annotations = {}, status = {}): ReplicaSet {
  return {
    metadata: { name, uid: name, annotations, creationTimestamp: '2026-03-01T11:00:00Z' },
    spec: { replicas, selector: {}, template: { metadata: {}, spec: { containers: [] } } },
    status: { replicas, ...status },
  };
}

describe('annotations of replica sets', () => {
  it('stay as they are where the revision is no number', () => {
    const known = { [`${PREFIX}/revision`]: 'mine' };
    assert.deepEqual(newSetAnnotations(deployment(1, {}, { a: 'b' }), set('a', 1, known), 7, false), known);
    assert.equal(revisionOf(set('a', 1, known)), 0);
  });

  it('get a higher revision, and remember the one before', () => {
    const annotations = (revision: string): object =>
      newSetAnnotations(deployment(1), set('a', 1, { [`${PREFIX}/revision`]: revision }), 7, false);
    assert.deepEqual(annotations('5'), { [`${PREFIX}/revision`]: '7', [`${PREFIX}/revision-history`]: '5' });
    assert.deepEqual(annotations('8'), { [`${PREFIX}/revision`]: '8' });
    assert.deepEqual(annotations(''), { [`${PREFIX}/revision`]: '7', [`${PREFIX}/revision-history`]: '' });
  });

  it('say nothing about sizes that are no 32-bit numbers', () => {
    const desired = (text: string): number | undefined =>
      desiredReplicasOf(set('a', 1, { [`${PREFIX}/desired-replicas`]: text }));
    assert.deepEqual([desired('2147483647'), desired('2147483648'), desired('-1')], [2147483647, undefined, undefined]);
  });
});

describe('sizes of replica sets in proportion', () => {
  it('come from the size of the deployment where the largest number of replicas is not known', () => {
    for (const annotations of [{}, { [`${PREFIX}/max-replicas`]: '0' }]) {
      const sets = [set('a', 6, annotations), set('b', 4, annotations)];
      const sizes = proportionalSizes(deployment(20, { replicas: 10 }), sets).map(({ size }) => size);
      assert.deepEqual(sizes, [13, 8], JSON.stringify(annotations));
    }
  });
});

describe('the status of a rollout', () => {
  it('has the failure of a replica set with its time', () => {
    const lastTransitionTime = '2026-03-01T11:30:00Z';
    const failure = {
      type: 'ReplicaFailure',
      status: 'True',
      reason: 'FailedCreate',
      message: 'no',
      lastTransitionTime,
    };
    const current = set('a', 1, {}, { conditions: [failure] });
    const { conditions = [] } = rolloutStatus(deployment(1), { current, old: [] }, NOW);
    assert.deepEqual(
      conditions.find(({ type }) => type === 'ReplicaFailure'),
      { ...failure, lastUpdateTime: lastTransitionTime },
    );
  });

  it('is looked at again at its deadline, but not behind a rollout that succeeded', () => {
    const until = (reason: string, lastUpdateTime: string): number | undefined => {
      const status = {
        conditions: [
          { type: 'Progressing', status: 'True', reason, lastUpdateTime, lastTransitionTime: lastUpdateTime },
        ],
      };
      return untilDeadlineMs(deployment(1), status, NOW);
    };
    assert.equal(until('ReplicaSetUpdated', '2026-03-01T11:59:30Z'), 31_000);
    assert.equal(until('ReplicaSetUpdated', '2026-03-01T11:00:00Z'), 1000);
    assert.equal(until('NewReplicaSetAvailable', '2026-03-01T11:00:00Z'), undefined);
    assert.equal(until('ProgressDeadlineExceeded', '2026-03-01T11:59:30Z'), undefined);
  });
});
