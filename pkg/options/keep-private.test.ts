import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { keepPrivate } from './keep-private.ts';

describe('keepPrivate', () => {
  let dir: string;
  const mode = (name: string): number => statSync(path.join(dir, name)).mode & 0o7777;

  beforeEach(() => {
    dir = mkdtempSync(path.join(tmpdir(), 'binnacle-private-'));
  });
  afterEach(() => rmSync(dir, { recursive: true }));

  it('makes files and directories accessible to their owner only', () => {
    writeFileSync(path.join(dir, 'file'), '');
    mkdirSync(path.join(dir, 'inner'));
    for (const [name, before, after] of [
      ['file', 0o664, 0o600],
      ['file', 0o400, 0o400],
      ['file', 0o755, 0o700],
      ['inner', 0o777, 0o700],
      ['inner', 0o2775, 0o2700],
      ['inner', 0o1777, 0o1777],
      ['inner', 0o700, 0o700],
    ] as const) {
      chmodSync(path.join(dir, name), before);
      keepPrivate(path.join(dir, name));
      assert.equal(mode(name), after, `${name} ${before.toString(8)}`);
    }
  });

  it('ignores missing files and the targets of links', () => {
    keepPrivate(path.join(dir, 'none'));
    writeFileSync(path.join(dir, 'file'), '');
    chmodSync(path.join(dir, 'file'), 0o644);
    symlinkSync('file', path.join(dir, 'link'));
    keepPrivate(path.join(dir, 'link'));
    assert.equal(mode('file'), 0o644);
  });
});
