import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { thirdPartyLicenses } from './third-party-licenses.ts';

describe('thirdPartyLicenses', () => {
  let root: string;
  beforeEach(() => {
    root = mkdtempSync(path.join(tmpdir(), 'licenses-'));
  });
  afterEach(() => rmSync(root, { recursive: true }));
  const add = (folder: string, about: object, files: Readonly<Record<string, string>> = {}): void => {
    mkdirSync(path.join(root, folder), { recursive: true });
    for (const [name, text] of Object.entries({ ...files, 'package.json': JSON.stringify(about) }))
      writeFileSync(path.join(root, folder, name), text);
  };

  it('has each package once, also in scopes and below others, with its text', () => {
    add('node_modules/b', { name: 'b', version: '1.0.0', license: 'MIT' }, { LICENSE: 'text of b\n' });
    add('node_modules/b/node_modules/@s/a', { name: '@s/a', version: '2.0.0', license: 'ISC' });
    const inputs = [
      'pkg/own.ts',
      'node_modules/b/x.js',
      'node_modules/b/lib/y.js',
      'node_modules/b/node_modules/@s/a/z.js',
    ];
    const text = thirdPartyLicenses(root, inputs);
    assert.deepEqual(text.match(/^.+ \d\.0\.0, .+$/gm), ['@s/a 2.0.0, ISC', 'b 1.0.0, MIT']);
    assert.ok(text.includes('text of b'));
  });

  it('takes no package without a license', () => {
    add('node_modules/c', { name: 'c', version: '1.0.0' });
    assert.throws(() => thirdPartyLicenses(root, ['node_modules/c/x.js']), /c names no license/);
  });
});
