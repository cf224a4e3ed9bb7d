import assert from 'node:assert/strict';
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { reloadedFile } from './reloaded-file.ts';

describe('reloadedFile', () => {
  const dir = mkdtempSync(path.join(tmpdir(), 'binnacle-reloaded-'));
  const file = path.join(dir, 'value');
  after(() => rmSync(dir, { recursive: true }));

  it('reads a changed file again, after a while, and keeps the old value while the new one is bad', () => {
    let now = 0;
    const errors: unknown[] = [];
    const parse = (text: string): number => {
      if (text === 'bad') throw new Error('bad');
      return Number(text);
    };
    writeFileSync(file, '1');
    const value = reloadedFile({ file, parse, nowMs: () => now, onError: (error) => errors.push(error) });
    writeFileSync(`${file}.new`, '22');
    renameSync(`${file}.new`, file);
    assert.equal(value(), 1);
    now += 5000;
    assert.equal(value(), 22);
    writeFileSync(file, 'bad');
    now += 5000;
    assert.equal(value(), 22);
    assert.equal(errors.length, 1);
    rmSync(file);
    now += 5000;
    assert.equal(value(), 22);
    writeFileSync(file, '333');
    now += 5000;
    assert.equal(value(), 333);
    assert.equal(errors.length, 2);
  });

  it('throws when the first content is bad', () => {
    writeFileSync(file, '');
    assert.throws(() => reloadedFile({ file, parse: () => { throw new Error('bad'); }, nowMs: () => 0, onError: () => undefined }), /bad/);
  });
});
