import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { makeDirectory } from './make-directory.ts';

describe('makeDirectory', () => {
  let dir: string;
  beforeEach(() => {
    dir = mkdtempSync(path.join(tmpdir(), 'binnacle-make-directory-'));
  });
  afterEach(() => rmSync(dir, { recursive: true, force: true }));

  it('makes missing directories, and leaves existing ones unchanged', () => {
    for (let i = 0; i < 2; i++) makeDirectory(path.join(dir, 'a/b/c'), 0o700);
    assert.equal(statSync(path.join(dir, 'a/b')).mode & 0o777, 0o700);
    assert.ok(statSync(path.join(dir, 'a/b/c')).isDirectory());
  });

  it('reports what is in the way', () => {
    const file = path.join(dir, 'file');
    writeFileSync(file, '');
    assert.throws(() => makeDirectory(file, 0o700), { code: 'EEXIST' });
    assert.throws(() => makeDirectory(path.join(file, 'a/b'), 0o700), { code: 'ENOTDIR' });
  });

  it('ends where nothing can be made', function () {
    if (!existsSync('/proc/self')) this.skip();
    // In a separate process: an endless loop would stop the tests as well.
    const script = `import { makeDirectory } from ${JSON.stringify(path.join(import.meta.dirname, 'make-directory.ts'))}; try { makeDirectory('/proc/nope/a', 0o700); } catch (error) { console.log(error.code); }`;
    const output = execFileSync(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script], {
      timeout: 10_000,
    });
    assert.equal(output.toString(), 'ENOENT\n');
  });
});
