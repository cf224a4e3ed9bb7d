import assert from 'node:assert/strict';
import { InFlightMaximum } from './in-flight.ts';

describe('in-flight requests', () => {
  it('returns the maximum of the last whole second', () => {
    const inFlight = new InFlightMaximum();
    for (const atMs of [1000, 1100, 1200]) inFlight.entered(atMs);
    for (const atMs of [1300, 1400]) inFlight.left(atMs);
    assert.equal(inFlight.mostLately(1900), 0);
    assert.equal(inFlight.mostLately(2000), 3);
    assert.equal(inFlight.mostLately(3000), 1, 'one is there all the time');
    inFlight.entered(3500);
    assert.equal(inFlight.mostLately(9000), 2);
    inFlight.left(9001);
    inFlight.left(9002);
    assert.equal(inFlight.mostLately(11_000), 0);
  });
});
