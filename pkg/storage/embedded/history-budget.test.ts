import assert from 'node:assert/strict';
import { HistoryBudget } from './history-budget.ts';

describe('history budget', () => {
  const reported: string[] = [];
  const report = (task: string, error: unknown): void => void reported.push(`${task}: ${(error as Error).message}`);
  beforeEach(() => reported.splice(0));

  it('drops the older half each time that the history has become too long', async () => {
    const compactions: number[] = [];
    const budget: HistoryBudget = new HistoryBudget({
      bytesMax: 80_000,
      report,
      compact: async (revision) => {
        compactions.push(revision);
        budget.compactedTo(revision);
      },
    });
    for (let revision = 1; revision <= 300; revision++) {
      budget.written(revision, 1000);
      await undefined;
    }
    assert.ok(compactions.length >= 4 && compactions.length <= 8, compactions.join());
    for (const [i, revision] of compactions.entries()) {
      const written = i + 1 === compactions.length ? 300 : compactions[i + 1]!;
      assert.ok(written - revision <= 100, `${written - revision} kilobytes are left`);
      assert.ok(revision > (compactions[i - 1] ?? 0));
    }
  });

  it('counts whole pages for records in separate pages', async () => {
    const compactions: number[] = [];
    const budget = new HistoryBudget({
      bytesMax: 80_000,
      report,
      compact: async (revision) => void compactions.push(revision),
    });
    for (let revision = 1; revision <= 24; revision++) budget.written(revision, 2100);
    await undefined;
    assert.ok(compactions.length > 0);
  });

  it('tries again after a failure, and not while one is in flight', async () => {
    let calls = 0;
    const budget = new HistoryBudget({
      bytesMax: 8000,
      report,
      compact: () => (calls++, Promise.reject(new Error('no room'))),
    });
    for (let revision = 1; revision <= 20; revision++) budget.written(revision, 1000);
    assert.equal(calls, 1);
    await new Promise(setImmediate);
    budget.written(21, 1000);
    assert.equal(calls, 2);
    await new Promise(setImmediate);
    assert.deepEqual(reported, ['history compaction: no room', 'history compaction: no room']);
  });
});
