import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { readPemFile, understand } from './read-pem-file.ts';

describe('readPemFile', () => {
  const dir = mkdtempSync(path.join(tmpdir(), 'binnacle-pem-'));
  after(() => rmSync(dir, { recursive: true }));

  it('gives the text', () => {
    writeFileSync(path.join(dir, 'a'), 'text');
    assert.equal(readPemFile(path.join(dir, 'a')), 'text');
  });

  it('names the file that it cannot read, and says why', () => {
    assert.throws(() => readPemFile(path.join(dir, 'absent')), {
      message: `${path.join(dir, 'absent')}: there is no such file`,
    });
    assert.throws(() => readPemFile(dir), { message: `${dir}: is a directory` });
  });
});

describe('understand', () => {
  it('gives what was read, or an error that names the file and shows nothing of it', () => {
    assert.equal(
      understand('a.key', 'is none', () => 1),
      1,
    );
    assert.throws(
      () =>
        understand('a.key', 'is none', () => {
          throw new Error('unexpected token: s3cret');
        }),
      { message: 'a.key: is none' },
    );
  });
});
