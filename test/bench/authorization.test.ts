import assert from 'node:assert/strict';
import path from 'node:path';
import { runProgram } from '../fixtures/run-program.ts';

describe('authorization', () => {
  it('is measured by the number of bindings', async () => {
    const { status, stdout, stderr } = await runProgram(process.execPath, [
      '--import',
      'tsx',
      path.join(import.meta.dirname, 'authorization.ts'),
      '10',
      '100',
    ]);
    assert.equal(status, 0, stderr);
    const rows = stdout
      .trimEnd()
      .split('\n')
      .slice(1)
      .map((line) => line.trim().split(/ +/).map(Number));
    assert.deepEqual(
      rows.map(([bindings]) => bindings),
      [10, 100],
    );
    for (const [, ...micros] of rows)
      assert.ok(micros.length === 4 && micros.every((figure) => figure > 0), String(micros));
  });
});
