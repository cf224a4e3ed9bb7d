import assert from 'node:assert/strict';
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseOptions } from '../options/parse-options.ts';
import { upOptions } from '../options/up-options.ts';
import { ensureClientAuthority, ownClientAuthority } from './own-client-authority.ts';

describe('the authority of up for certificates of clients', () => {
  let dir: string;
  let file: string;
  let keyFile: string;
  beforeEach(() => {
    dir = mkdtempSync(path.join(tmpdir(), 'client-authority-'));
    [file, keyFile] = [path.join(dir, 'pki', 'client-ca.crt'), path.join(dir, 'pki', 'client-ca.key')];
  });
  afterEach(() => rmSync(dir, { recursive: true }));

  it('is made once, with a key for its owner alone', () => {
    ensureClientAuthority(file);
    const made = readFileSync(file, 'utf8');
    const certificate = new X509Certificate(made);
    assert.ok(certificate.ca && certificate.checkPrivateKey(createPrivateKey(readFileSync(keyFile))));
    assert.equal(statSync(keyFile).mode & 0o777, 0o600);
    ensureClientAuthority(file);
    assert.equal(readFileSync(file, 'utf8'), made);
  });

  it('stays without its key, and is not made over a key that is there', () => {
    ensureClientAuthority(file);
    const made = readFileSync(file, 'utf8');
    const key = readFileSync(keyFile, 'utf8');
    rmSync(file);
    assert.throws(() => ensureClientAuthority(file), /client-ca.key is there without .*client-ca.crt/);
    assert.equal(readFileSync(keyFile, 'utf8'), key);
    rmSync(keyFile);
    writeFileSync(file, made);
    ensureClientAuthority(file);
    assert.deepEqual([readFileSync(file, 'utf8'), existsSync(keyFile)], [made, false]);
  });

  it('is that of up alone, where no option says whom to believe or who signs', () => {
    const place = (...args: string[]): string | undefined =>
      ownClientAuthority(parseOptions(upOptions, 'up', args), dir);
    assert.equal(place(), file);
    assert.equal(place('--cert-dir=/elsewhere'), '/elsewhere/client-ca.crt');
    assert.equal(place(`--client-ca-file=${import.meta.filename}`), undefined);
    assert.equal(place(`--cluster-signing-kubelet-client-cert-file=${import.meta.filename}`), undefined);
  });
});
