import assert from 'node:assert/strict';
import type { StoreRewoundError } from '../store-errors.ts';
import { RevisionGuard } from './revision-guard.ts';

describe('revision guard', () => {
  let reported: StoreRewoundError[];
  let guard: RevisionGuard;
  beforeEach(() => {
    reported = [];
    guard = new RevisionGuard((error) => reported.push(error));
  });

  it('lets answers overtake each other', () => {
    const knownByBoth = guard.highest;
    guard.check({ revision: 20, clusterId: 1 }, knownByBoth);
    guard.check({ revision: 10, clusterId: 1 }, knownByBoth);
    assert.deepEqual([guard.highest, reported], [20, []]);
  });

  it('reports an answer older than the revision known when the call began, once', () => {
    guard.check({ revision: 20, clusterId: 1 }, 0);
    const error = guard.check({ revision: 5, clusterId: 1 }, guard.highest);
    assert.deepEqual([error?.knownRevision, error?.currentRevision, reported.length], [20, 5, 1]);
    assert.equal(guard.check({ revision: 6, clusterId: 1 }, guard.highest), undefined);
  });

  it('reports another cluster at any revision', () => {
    guard.check({ revision: 20, clusterId: 1 }, 0);
    assert.ok(guard.check({ revision: 500, clusterId: 2 }, guard.highest));
    assert.deepEqual([guard.highest, reported.length], [500, 1]);
  });
});
