import assert from 'node:assert/strict';
import type { Pod } from '../../generated/types/core-v1.ts';
import { podsToDelete } from './pods-to-delete.ts';

const NOW = Date.parse('2026-03-01T12:00:00Z');

interface Given {
  readonly node?: string;
  readonly phase?: string;
  /** Seconds since the pod became ready. */
  readonly ready?: number;
  readonly cost?: string;
  readonly restarts?: number;
  readonly sidecarRestarts?: number;
  /** Seconds since the pod was created. */
  readonly age?: number;
  readonly deleted?: boolean;
}

function pod(uid: string, given: Given = {}): Pod {
  const { node = 'n', phase = 'Running', ready, cost, restarts = 0, sidecarRestarts, age = 1000, deleted } = given;
  const before = (seconds: number): string => new Date(NOW - seconds * 1000).toISOString();
  const init = { name: 'init', image: 'i', resources: {} };
  const status = { image: 'i', imageID: '', ready: true, state: {}, lastState: {} };
  return {
    metadata: {
      name: uid,
      uid,
      creationTimestamp: before(age),
      ...(cost === undefined ? {} : { annotations: { 'controller.kubernetes.io/pod-deletion-cost': cost } }),
      ...(deleted === true ? { deletionTimestamp: before(0) } : {}),
    },
    spec: {
      nodeName: node,
      containers: [],
      initContainers: [init, { ...init, name: 'sidecar', restartPolicy: 'Always' }],
    },
    status: {
      phase,
      conditions:
        ready === undefined
          ? []
          : [{ type: 'Ready', status: 'True', lastProbeTime: null, lastTransitionTime: before(ready) }],
      containerStatuses: [{ ...status, name: 'main', restartCount: restarts }],
      initContainerStatuses:
        sidecarRestarts === undefined
          ? []
          : [
              { ...status, name: 'init', restartCount: 99 },
              { ...status, name: 'sidecar', restartCount: sidecarRestarts },
            ],
    },
  };
}

describe('the order in which a set deletes pods', () => {
  /** Which of both goes; both ways round. */
  function first(a: Pod, b: Pod, related: readonly Pod[] = []): string {
    const [one] = podsToDelete([a, b], related, 1, NOW);
    assert.deepEqual(podsToDelete([b, a], related, 1, NOW), [one]);
    return one!.metadata.name!;
  }

  const better: readonly (readonly [string, Given, Given])[] = [
    ['assigned to a node', { node: '', phase: 'Pending' }, { phase: 'Pending' }],
    ['running', { phase: 'Pending' }, { phase: 'Running' }],
    ['of a known phase', { phase: 'Unknown' }, { phase: 'Running' }],
    ['ready', {}, { ready: 0 }],
    ['costlier', { ready: 1, cost: '-5' }, { ready: 1 }],
    ['costlier, whatever zeros come after a minus sign', { cost: '-05' }, {}],
    ['ready for longer', { ready: 3 }, { ready: 100 }],
    ['less often restarted', { restarts: 2 }, { restarts: 1 }],
    ['with sidecars that were less often restarted', { sidecarRestarts: 2 }, { sidecarRestarts: 1 }],
    ['older', { age: 1 }, { age: 100 }],
  ];
  for (const [what, gone, kept] of better)
    it(`keeps a pod that is ${what}`, () => assert.equal(first(pod('z-gone', gone), pod('a-kept', kept)), 'z-gone'));

  it('takes no number for a cost that has a plus sign, zeros before it, or too many digits', () => {
    for (const cost of ['+10', '008', '99999999999', 'x', ''])
      assert.equal(first(pod('a', { cost }), pod('b')), 'a', cost);
  });

  it('prefers nodes with more related pods, of those that are active', () => {
    const related = [
      pod('1', { node: 'x' }),
      pod('2', { node: 'y', phase: 'Failed' }),
      pod('3', { node: 'y', deleted: true }),
    ];
    assert.equal(first(pod('a', { node: 'y' }), pod('b', { node: 'x' }), related), 'b');
  });

  it('decides by uid between pods that are ready for about the same time, whatever their restarts', () => {
    // 2^32 ns are 4.29 s.
    assert.equal(first(pod('a', { ready: 5 }), pod('b', { ready: 8, restarts: 7 })), 'a');
    assert.equal(first(pod('a', { ready: 5 }), pod('b', { ready: 4 })), 'b');
    assert.equal(first(pod('a', { ready: 5 }), pod('b', { ready: 5, restarts: 7 })), 'b');
    assert.equal(first(pod('a', { age: 5 }), pod('b', { age: 8 })), 'a');
  });

  it('deletes all pods of a set that is to have none', () => {
    const all = [pod('b'), pod('a')];
    assert.deepEqual(podsToDelete(all, [], 2, NOW), all);
  });
});
