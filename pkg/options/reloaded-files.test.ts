import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { reloadedFiles } from './reloaded-files.ts';

describe('reloadedFiles', () => {
  const dir = mkdtempSync(path.join(tmpdir(), 'binnacle-reloaded-'));
  const files = [path.join(dir, 'one'), path.join(dir, 'other')];
  const [one, other] = files as [string, string];
  let now: number;
  let errors: string[];
  let readable: boolean;
  const open = (): (() => string) =>
    reloadedFiles({
      files,
      nowMs: () => now,
      onError: (error) => errors.push(String(error)),
      read() {
        if (!readable) throw new Error('no more files can be open');
        const texts = files.map((file) => readFileSync(file, 'utf8'));
        if (texts.includes('bad')) throw new Error('bad');
        return texts.join('+');
      },
    });
  /** The value after the next check of the files. */
  const later = (value: () => string): string => {
    now += 5000;
    return value();
  };

  beforeEach(() => {
    [now, errors, readable] = [0, [], true];
    writeFileSync(one, '1');
    writeFileSync(other, '2');
  });
  after(() => rmSync(dir, { recursive: true }));

  it('are read again when any has changed, after a while', () => {
    const value = open();
    writeFileSync(`${one}.new`, '11');
    renameSync(`${one}.new`, one);
    assert.deepEqual([value(), later(value)], ['1+2', '11+2']);
    writeFileSync(other, '222');
    assert.deepEqual([value(), later(value)], ['11+2', '11+222']);
  });

  it('keep the value while they are bad or missing, which is reported once', () => {
    const value = open();
    writeFileSync(one, 'bad');
    assert.deepEqual([later(value), later(value), errors], ['1+2', '1+2', ['Error: bad']]);
    rmSync(one);
    assert.deepEqual([later(value), later(value), errors.length], ['1+2', '1+2', 2]);
    writeFileSync(one, '111');
    assert.deepEqual([later(value), errors.length], ['111+2', 2]);
  });

  it('are read again after other failures', () => {
    const value = open();
    writeFileSync(one, '1111');
    readable = false;
    assert.equal(later(value), '1+2');
    readable = true;
    assert.deepEqual([later(value), errors.length], ['1111+2', 1]);
  });

  it('throw when they are bad at first', () => {
    writeFileSync(one, 'bad');
    assert.throws(open, /bad/);
  });
});
