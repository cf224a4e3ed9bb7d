import assert from 'node:assert/strict';
import { UnderWay } from './under-way.ts';

describe('UnderWay', () => {
  it('tells the most at once in the last whole second', () => {
    const underWay = new UnderWay();
    for (const atMs of [1000, 1100, 1200]) underWay.entered(atMs);
    for (const atMs of [1300, 1400]) underWay.left(atMs);
    assert.equal(underWay.mostLately(1900), 0);
    assert.equal(underWay.mostLately(2000), 3);
    assert.equal(underWay.mostLately(3000), 1, 'one is there all the time');
    underWay.entered(3500);
    assert.equal(underWay.mostLately(9000), 2);
    underWay.left(9001);
    underWay.left(9002);
    assert.equal(underWay.mostLately(11_000), 0);
  });
});
