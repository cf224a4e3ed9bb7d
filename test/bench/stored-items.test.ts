import assert from 'node:assert/strict';
import path from 'node:path';
import { runProgram } from '../fixtures/run-program.ts';

describe('items from stored bytes', () => {
  it('are measured against decoding and encoding', async () => {
    const program = path.join(import.meta.dirname, 'stored-items.ts');
    const { status, stdout, stderr } = await runProgram(process.execPath, ['--import', 'tsx', program, '2']);
    assert.equal(status, 0, stderr);
    const rows = stdout
      .trimEnd()
      .split('\n')
      .map((line) => line.split(/ {2,}/));
    assert.equal(rows.length, 5);
    for (const [name, micros] of rows) assert.ok(Number(micros) >= 0, `${name}: ${micros}`);
  });
});
