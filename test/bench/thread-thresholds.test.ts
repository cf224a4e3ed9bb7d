import assert from 'node:assert/strict';
import path from 'node:path';
import { runProgram } from '../fixtures/run-program.ts';

describe('thread thresholds', () => {
  it('are measured for each kind of work', async () => {
    const { status, stdout, stderr } = await runProgram(process.execPath, [
      '--import',
      'tsx',
      path.join(import.meta.dirname, 'thread-thresholds.ts'),
      '1',
    ]);
    assert.equal(status, 0, stderr);
    const rows = stdout
      .trimEnd()
      .split('\n')
      .slice(1)
      .map((line) => line.split(/ {2,}/));
    assert.deepEqual(
      rows.map(([task]) => task),
      [
        'JSON patch',
        'merge patch',
        'strategic merge patch',
        'read YAML',
        'write YAML',
        'cold list, json',
        'cold list, protobuf',
      ],
    );
    for (const [task, ...figures] of rows)
      assert.ok(
        figures.length === 4 && figures.every((figure) => Number(figure) >= 0) && Number(figures.at(-1)) > 0,
        `${task}: ${figures.join(' ')}`,
      );
  });
});
