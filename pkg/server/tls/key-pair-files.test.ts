import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { TestAuthority } from '../../net/certificates-testing.ts';
import { readKeyPair } from './key-pair-files.ts';

describe('readKeyPair', () => {
  const dir = mkdtempSync(path.join(tmpdir(), 'binnacle-pair-'));
  const [certFile, keyFile] = [path.join(dir, 'tls.crt'), path.join(dir, 'tls.key')];
  let authority: TestAuthority;
  let pair: TestAuthority;
  before(async () => {
    authority = await TestAuthority.create();
    pair = await authority.sign({ subject: 'CN=pair' });
  });
  after(() => rmSync(dir, { recursive: true }));

  function read(cert: string, key: string): ReturnType<typeof readKeyPair> {
    writeFileSync(certFile, cert);
    writeFileSync(keyFile, key);
    return readKeyPair({ certFile, keyFile });
  }

  it('reads a certificate, its authorities after it, and its key', () => {
    assert.deepEqual(read(pair.pem, pair.keyPem), { cert: pair.pem, key: pair.keyPem });
    assert.deepEqual(read(pair.pem + authority.pem, pair.keyPem).cert, pair.pem + authority.pem);
  });

  it('says which file is wrong, and how', () => {
    const encrypted = generateKeyPairSync('ec', {
      namedCurve: 'P-256',
      privateKeyEncoding: { type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'p' },
      publicKeyEncoding: { type: 'spki', format: 'pem' },
    }).privateKey;
    const half = (text: string): string => text.slice(0, text.length / 2);
    const wrong: readonly (readonly [cert: string, key: string, message: string])[] = [
      ['', pair.keyPem, `${certFile}: holds no PEM certificate`],
      [half(pair.pem), pair.keyPem, `${certFile}: holds no PEM certificate`],
      [pair.keyPem, pair.keyPem, `${certFile}: holds no PEM certificate`],
      [pair.pem, '', `${keyFile}: holds no PEM private key, or one that needs a passphrase`],
      [pair.pem, half(pair.keyPem), `${keyFile}: holds no PEM private key, or one that needs a passphrase`],
      [pair.pem, encrypted, `${keyFile}: holds no PEM private key, or one that needs a passphrase`],
      [pair.pem, authority.keyPem, `${keyFile}: is not the private key of the certificate in ${certFile}`],
      [authority.pem + pair.pem, pair.keyPem, `${keyFile}: is not the private key of the certificate in ${certFile}`],
      [pair.pem + half(authority.pem), pair.keyPem, `${certFile}: cannot be used`],
    ];
    for (const [cert, key, message] of wrong) assert.throws(() => read(cert, key), { message });
  });

  it('says which file is not there', () => {
    assert.throws(() => readKeyPair({ certFile, keyFile: path.join(dir, 'absent') }), {
      message: `${path.join(dir, 'absent')}: there is no such file`,
    });
  });
});
