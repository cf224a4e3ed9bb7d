import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const head = `import { endProcess } from ${JSON.stringify(path.join(import.meta.dirname, 'end-process.ts'))}; process.exitCode = 3;`;

describe('endProcess', () => {
  function ended(script: string): { status: number | null; signal: string | null } {
    const { status, signal } = spawnSync(
      process.execPath,
      ['--import', 'tsx', '--input-type=module', '-e', `${head} ${script}`],
      { timeout: 15_000, killSignal: 'SIGABRT' },
    );
    return { status, signal };
  }

  it('ends with the exit code, with any work in flight', () => {
    assert.deepEqual(ended('setInterval(() => undefined, 1000); endProcess();'), { status: 3, signal: null });
  });

  it('ends although a write to a pipe is stuck', () => {
    const dir = mkdtempSync(path.join(tmpdir(), 'binnacle-end-process-'));
    try {
      const pipe = path.join(dir, 'pipe');
      execFileSync('mkfifo', [pipe]);
      const script = `const { open } = await import('node:fs/promises'); const file = await open(${JSON.stringify(pipe)}, 'a+'); void file.appendFile(Buffer.alloc(1_000_000)); setTimeout(endProcess, 300);`;
      assert.deepEqual(ended(script), { status: null, signal: 'SIGKILL' });
    } finally {
      rmSync(dir, { recursive: true, force: true });
    }
  }).timeout(30_000);
});
