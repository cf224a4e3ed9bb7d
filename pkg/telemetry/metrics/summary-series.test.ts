import assert from 'node:assert/strict';
import { SummarySeries } from './summary-series.ts';

const HOUR_MS = 60 * 60 * 1000;

describe('SummarySeries', () => {
  let nowMs: number;
  let series: SummarySeries;
  const near = (actual: number, expected: number): void => assert.ok(Math.abs(actual / expected - 1) < 0.05, `${actual} is not ${expected}`);
  const values = (): number[] => series.quantiles().map(([, value]) => value);

  beforeEach(() => {
    nowMs = 7.5 * HOUR_MS;
    series = new SummarySeries({}, () => nowMs);
  });

  it('knows no quantile of nothing', () => {
    assert.deepEqual(series.quantiles(), [[0.5, NaN], [0.9, NaN], [0.99, NaN]]);
    assert.deepEqual([series.sum, series.count], [0, 0]);
  });

  it('tells quantiles, whatever the size of the values', () => {
    for (let i = 1; i <= 1000; i++) series.observe(i / 1000);
    for (const [i, expected] of [0.5, 0.9, 0.99].entries()) near(values()[i]!, expected);
    assert.equal(series.count, 1000);
    near(series.sum, 500.5);
    series = new SummarySeries({}, () => nowMs);
    for (const value of [0, 1e-9, 0.00002, 0.00002, 5000]) series.observe(value);
    near(values()[0]!, 0.00002);
    near(values()[2]!, 100);
  });

  it('forgets values after five hours, and sums none away', () => {
    series.observe(1);
    nowMs += 4 * HOUR_MS;
    series.observe(10);
    near(values()[0]!, 1);
    nowMs += HOUR_MS;
    near(values()[0]!, 10);
    nowMs += 100 * HOUR_MS;
    assert.deepEqual(values(), [NaN, NaN, NaN]);
    assert.deepEqual([series.sum, series.count], [11, 2]);
  });
});
