import assert from 'node:assert/strict';
import { upkeepReport } from './upkeep-report.ts';

describe('upkeepReport', () => {
  it('warns of each task separately, at a bounded rate', () => {
    let nowMs = 0;
    const warnings: string[] = [];
    const report = upkeepReport(
      (message) => warnings.push(message),
      () => nowMs,
    );
    for (let i = 0; i < 5; i++) report('history compaction', new Error('etcd is away'));
    report('expiry of keys', 'no room');
    nowMs += 10_000;
    report('history compaction', new Error('etcd is away'));
    assert.deepEqual(warnings, [
      'store upkeep: history compaction failed and is tried again: etcd is away',
      'store upkeep: expiry of keys failed and is tried again: no room',
      'store upkeep: history compaction failed and is tried again: etcd is away (and 4 messages like it before)',
    ]);
  });
});
