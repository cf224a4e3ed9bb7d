import assert from 'node:assert/strict';
import { nominalSeats, shareSeats } from './seat-limits.ts';
import { SeatDemand } from './seat-demand.ts';

describe('nominalSeats', () => {
  it('gives parts by shares, rounded up', () => {
    const shares = [30, 40, 10, 40, 100, 20, 5];
    assert.deepEqual(
      shares.map((share) => nominalSeats(600, share, 245)),
      [74, 98, 25, 98, 245, 49, 13],
    );
    assert.equal(nominalSeats(600, 0, 0), 0);
  });
});

describe('shareSeats', () => {
  const claim = (min: number, max: number, target: number) => ({ nominal: 0, min, max, target });

  it('gives all the same fraction of their demand, within their bounds', () => {
    assert.deepEqual(shareSeats(100, [claim(0, 1000, 50), claim(0, 1000, 150)]).seats, [25, 75]);
    assert.deepEqual(shareSeats(100, [claim(40, 1000, 40), claim(0, 1000, 150)]).seats, [40, 60]);
    assert.deepEqual(shareSeats(100, [claim(0, 10, 50), claim(0, 1000, 50)]).seats, [10, 90]);
  });

  it('gives more than the demand where there is more, within the maximum', () => {
    assert.deepEqual(shareSeats(100, [claim(0, 20, 10), claim(0, 30, 10)]).seats, [20, 30]);
    const { seats, fraction } = shareSeats(100, [claim(0, 1000, 10), claim(0, 1000, 10)]);
    assert.deepEqual([seats, Math.round(fraction)], [[50, 50], 5]);
  });

  it('gives minimums where they use up the total', () => {
    assert.deepEqual(shareSeats(10, [claim(8, 100, 50), claim(7, 100, 50)]), { seats: [8, 7], fraction: 0 });
    assert.deepEqual(shareSeats(10, []).seats, []);
  });
});

describe('SeatDemand', () => {
  it('reports mean, deviation and peak over time, and falls slower than it rises', () => {
    const demand = new SeatDemand(0);
    demand.set(0, 10);
    demand.set(5, 30);
    demand.endPeriod(10);
    assert.deepEqual([demand.average, demand.deviation, demand.peak, demand.smoothed], [20, 10, 30, 30]);
    demand.set(10, 0);
    demand.endPeriod(20);
    assert.deepEqual([demand.average, demand.peak], [0, 30]);
    assert.ok(demand.smoothed! > 29 && demand.smoothed! < 30);
  });
});
