import assert from 'node:assert/strict';
import type { AdmissionRequest } from './admission.ts';
import { isTooLate, timeLeftMs } from './time-left.ts';

const request = (leftMs: number): AdmissionRequest => ({ deadlineMs: performance.now() + leftMs }) as AdmissionRequest;

describe('the time that a client waits', () => {
  it('is over a little early for what has failed, as timers fire', () => {
    assert.equal(isTooLate(request(1)), true);
    assert.equal(isTooLate(request(-1)), true);
    assert.equal(isTooLate(request(60_000)), false);
    assert.equal(isTooLate({} as AdmissionRequest), false);
  });

  it('is over for what is to begin when it is over', () => {
    assert.equal(timeLeftMs({} as AdmissionRequest), Infinity);
    assert.ok(timeLeftMs(request(60_000)) > 50_000);
    assert.throws(() => timeLeftMs(request(-1)), { code: 504, reason: 'Timeout' });
  });
});
