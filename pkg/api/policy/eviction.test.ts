import assert from 'node:assert/strict';
import { StatusError } from '../../apimachinery/status-error.ts';
import { evictionDryRun, validateEviction } from './eviction.ts';

const EVICTION = { metadata: { name: 'p', creationTimestamp: null } };
const is400 = (e: unknown) => e instanceof StatusError && e.code === 400;

describe('eviction', () => {
  it('names the pod of its path', () => {
    validateEviction(EVICTION, 'p');
    assert.throws(() => validateEviction(EVICTION, 'other'), is400);
  });

  it('agrees with the query on dry runs', () => {
    const dry = { ...EVICTION, deleteOptions: { dryRun: ['All'] } };
    assert.deepEqual(evictionDryRun(EVICTION, []), []);
    assert.deepEqual(evictionDryRun(EVICTION, ['All']), ['All']);
    assert.deepEqual(evictionDryRun(dry, []), ['All']);
    assert.deepEqual(evictionDryRun(dry, ['All']), ['All']);
    assert.throws(() => evictionDryRun(dry, ['None']), is400);
  });
});
