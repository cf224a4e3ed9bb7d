import assert from 'node:assert/strict';
import { FetchBudget } from './fetch-budget.ts';

describe('FetchBudget', () => {
  it('allows some calls at once, and then one each ten seconds', () => {
    let now = 0;
    const budget = new FetchBudget(() => now);
    const taken = (times: number) => Array.from({ length: times }, () => budget.take()).filter(Boolean).length;
    assert.equal(taken(10), 5);
    now = 9_999;
    assert.equal(taken(3), 0);
    now = 10_000;
    assert.equal(taken(3), 1);
    now = 3_600_000;
    assert.equal(taken(10), 5);
  });
});
