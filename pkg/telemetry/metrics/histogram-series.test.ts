import assert from 'node:assert/strict';
import { exponentialBounds, HistogramSeries } from './histogram-series.ts';

describe('HistogramSeries', () => {
  it('counts a value into the first bucket whose bound it does not exceed', () => {
    const series = new HistogramSeries({}, [1, 2, 5]);
    for (const value of [0, 1, 1.5, 2, 6, 1000]) series.observe(value);
    assert.deepEqual(series.cumulative(), [2, 4, 4, 6]);
    assert.equal(series.count, 6);
    assert.equal(series.sum, 1010.5);
  });

  it('counts a value several times at once', () => {
    const series = new HistogramSeries({}, [1]);
    series.observe(3, 4);
    assert.deepEqual([series.cumulative(), series.sum], [[0, 4], 12]);
  });

  it('is empty at first', () => {
    assert.deepEqual(new HistogramSeries({}, [1, 2]).cumulative(), [0, 0, 0]);
  });

  it('makes exponential bounds', () => {
    assert.deepEqual(exponentialBounds(1000, 10, 7), [1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9]);
  });
});
