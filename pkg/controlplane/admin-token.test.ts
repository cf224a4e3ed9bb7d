import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { apiServerOptions } from '../options/api-server-options.ts';
import type { OptionValues } from '../options/option.ts';
import { OptionsError } from '../options/options-error.ts';
import { parseOptions } from '../options/parse-options.ts';
import { adminTokenOf, readAdminToken } from './admin-token.ts';

describe('the token of the administrator', () => {
  let dir: string;
  let own: string;
  beforeEach(() => {
    dir = mkdtempSync(path.join(tmpdir(), 'binnacle-token-'));
    own = path.join(dir, 'admin-token');
  });
  afterEach(() => rmSync(dir, { recursive: true, force: true }));

  const options = (...args: string[]): OptionValues =>
    parseOptions(apiServerOptions, 'apiserver', ['--store-servers=http://127.0.0.1:1', ...args]);
  const given = (text: string): OptionValues => {
    writeFileSync(path.join(dir, 'given'), text);
    return options(`--token-file=${path.join(dir, 'given')}`);
  };

  it('is made once, for its owner alone', () => {
    const token = adminTokenOf(undefined, dir);
    assert.match(token, /^[\w-]{43}$/);
    assert.deepEqual(
      [readFileSync(own, 'utf8'), statSync(own).mode & 0o777, readdirSync(dir)],
      [`${token}\n`, 0o600, ['admin-token']],
    );
    assert.equal(adminTokenOf(undefined, dir), token);
  });

  it('is made again where a start left no whole one', () => {
    for (const left of ['', '\n', 'one\ntwo\n', 'a b']) {
      writeFileSync(own, left, { mode: 0o644 });
      const token = adminTokenOf(undefined, dir);
      assert.match(token, /^[\w-]{43}$/);
      assert.deepEqual([readFileSync(own, 'utf8'), statSync(own).mode & 0o777], [`${token}\n`, 0o600], left);
    }
  });

  it('is another for each start where nothing can be kept', () => {
    assert.notEqual(adminTokenOf(undefined, undefined), adminTokenOf(undefined, undefined));
    assert.deepEqual(readdirSync(dir), []);
  });

  it('is what --token-file holds', () => {
    assert.equal(adminTokenOf(readAdminToken(given(' secret~1\n')), dir), 'secret~1');
    assert.deepEqual([readAdminToken(options()), readdirSync(dir)], [undefined, ['given']]);
    for (const text of ['', ' \n', 'one\ntwo', 'ä']) {
      const bad = given(text);
      const problem = `--token-file=${path.join(dir, 'given')}: holds no token`;
      assert.throws(
        () => readAdminToken(bad),
        (error) => error instanceof OptionsError && error.problems[0] === problem,
        text,
      );
    }
  });
});
