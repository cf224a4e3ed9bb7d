import assert from 'node:assert/strict';
import { FakeClock } from '../../apimachinery/clock-testing.ts';
import { Expectations } from './expectations.ts';

describe('Expectations', () => {
  let clock: FakeClock;
  let expectations: Expectations;
  beforeEach(() => {
    clock = new FakeClock();
    expectations = new Expectations(clock);
  });

  it('are satisfied when every object that was created has been seen, or will not come', () => {
    assert.equal(expectations.satisfied('n/a'), true);
    expectations.expectCreates('n/a', 3);
    for (let seen = 0; seen < 3; seen++) {
      assert.equal(expectations.satisfied('n/a'), false);
      expectations.createObserved('n/a');
    }
    assert.equal(expectations.satisfied('n/a'), true);
    // Objects that another writer creates.
    expectations.createObserved('n/a');
    expectations.createObserved('n/b');
    assert.deepEqual([expectations.satisfied('n/a'), expectations.satisfied('n/b')], [true, true]);
  });

  it('count each deletion once, also where a mark and an end are seen', () => {
    expectations.expectDeletes('n/a', ['n/one', 'n/two']);
    expectations.deleteObserved('n/a', 'n/one');
    expectations.deleteObserved('n/a', 'n/one');
    expectations.deleteObserved('n/a', 'n/three');
    assert.equal(expectations.satisfied('n/a'), false);
    expectations.deleteObserved('n/a', 'n/two');
    assert.equal(expectations.satisfied('n/a'), true);
  });

  it('of several owners are apart, and replaced by later ones', () => {
    expectations.expectCreates('n/a', 1);
    expectations.expectDeletes('n/b', ['n/one']);
    expectations.createObserved('n/b');
    assert.deepEqual([expectations.satisfied('n/a'), expectations.satisfied('n/b')], [false, false]);
    expectations.expectDeletes('n/a', []);
    assert.equal(expectations.satisfied('n/a'), true);
    expectations.forget('n/b');
    assert.equal(expectations.satisfied('n/b'), true);
  });

  it('expire, since an event may be lost', async () => {
    expectations.expectCreates('n/a', 1);
    await clock.advance(5 * 60_000);
    assert.equal(expectations.satisfied('n/a'), false);
    await clock.advance(1);
    assert.equal(expectations.satisfied('n/a'), true);
  });
});
