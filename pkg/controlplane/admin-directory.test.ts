import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Component } from '../options/option.ts';
import { adminDirectory } from './admin-directory.ts';

const nobody = 65534;

describe("the directory of the administrator's token", () => {
  const file = import.meta.filename;
  let root: string;
  let warnings: string[];
  beforeEach(() => {
    root = mkdtempSync(path.join(tmpdir(), 'binnacle-admin-'));
    warnings = [];
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  const pair = { certFile: file, keyFile: file };
  const open = (dir: string, given: object | undefined, component: Component = 'apiserver'): string | undefined =>
    adminDirectory({ component, tls: { pair: given } }, dir, {
      warn: (message, fields) => void warnings.push(`${message} ${String(fields?.code)}`),
    });

  /** Nothing is forbidden to root. */
  function withoutPrivileges<T>(run: () => T): T {
    const user = process.geteuid!();
    if (user === 0) process.seteuid!(nobody);
    try {
      return run();
    } finally {
      if (user === 0) process.seteuid!(user);
    }
  }

  it('is made where it is not there', () => {
    const dir = path.join(root, 'deep', 'certs');
    assert.deepEqual([open(dir, pair), readdirSync(dir), warnings], [dir, [], []]);
  });

  it('is done without where it cannot be made or written, by a server whose certificate is given', () => {
    chmodSync(root, 0o755);
    const closed = path.join(root, 'closed');
    mkdirSync(closed, { mode: 0o555 });
    chmodSync(closed, 0o555);
    for (const dir of [closed, path.join(closed, 'certs')]) {
      assert.equal(
        withoutPrivileges(() => open(dir, pair)),
        undefined,
      );
      assert.deepEqual(warnings.splice(0), [
        'the directory cannot be written: there is no kubeconfig, and without --token-file no token of an administrator EACCES',
      ]);
    }
    const below = path.join(closed, 'certs');
    assert.throws(() => withoutPrivileges(() => open(below, undefined)), { code: 'EACCES' });
    assert.throws(() => withoutPrivileges(() => open(below, pair, 'up')), { code: 'EACCES' });
  });

  it('is none where something else is in its place', () => {
    assert.throws(() => open(path.join(file, 'certs'), pair), { code: 'ENOTDIR' });
    assert.deepEqual(warnings, []);
  });
});
