import assert from 'node:assert/strict';
import path from 'node:path';
import { runProgram } from '../fixtures/run-program.ts';

describe('audit', () => {
  it('is measured by version', async () => {
    const { status, stdout, stderr } = await runProgram(process.execPath, [
      '--import',
      'tsx',
      path.join(import.meta.dirname, 'audit.ts'),
      '32',
    ]);
    assert.equal(status, 0, stderr);
    const rows = stdout
      .trimEnd()
      .split('\n')
      .slice(1, -1)
      .map((line) => line.split(/ +/));
    assert.deepEqual(
      rows.map(([version]) => version),
      ['audit.k8s.io/v1', 'audit.k8s.io/v1beta1'],
    );
    assert.ok(
      rows.every(([, micros]) => Number(micros) > 0),
      stdout,
    );
  });
});
