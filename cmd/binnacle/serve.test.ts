import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { runCommand } from './run-command-testing.ts';

describe('binnacle apiserver, interrupted', () => {
  it('ends although its store never answers', async () => {
    const dir = mkdtempSync(path.join(tmpdir(), 'binnacle-interrupted-'));
    const silent = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => silent.once('listening', resolve));
    try {
      const args = [
        `--store-servers=http://127.0.0.1:${(silent.address() as AddressInfo).port}`,
        `--cert-dir=${dir}`,
        '--bind-address=127.0.0.1',
      ];
      const { status, stdout, stderr } = await runCommand(['apiserver', ...args], {
        cwd: dir,
        interruptAt: 'ANYONE WHO REACHES THIS SERVER',
      });
      assert.deepEqual(
        [status, stdout.length, stderr.trim().split('\n').at(-1)],
        [1, 0, 'binnacle apiserver: stopped before it was ready'],
      );
    } finally {
      silent.close();
      rmSync(dir, { recursive: true, force: true });
    }
  }).timeout(30_000);
});
