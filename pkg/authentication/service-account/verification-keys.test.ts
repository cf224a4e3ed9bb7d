import assert from 'node:assert/strict';
import { createHash, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { TestAuthority } from '../../net/certificates-testing.ts';
import { parseJsonWebToken, signJsonWebToken } from '../jwt/json-web-token.ts';
import { isSignedByOneOf, readSigningKey, readVerificationKeys, uniqueKeys } from './verification-keys.ts';

describe('keys of service accounts', () => {
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const pem = (key: KeyObject, type: 'spki' | 'pkcs1' | 'pkcs8' | 'sec1') =>
    key.export({ type, format: 'pem' } as never) as string;
  const idOf = (key: KeyObject) =>
    createHash('sha256')
      .update(key.export({ type: 'spki', format: 'der' }))
      .digest('base64url');

  it('are read from private and public keys of every form, several in a file', () => {
    for (const text of [
      pem(rsa.publicKey, 'spki'),
      pem(rsa.publicKey, 'pkcs1'),
      pem(rsa.privateKey, 'pkcs1'),
      pem(rsa.privateKey, 'pkcs8'),
    ]) {
      assert.deepEqual(
        readVerificationKeys(text).map(({ id }) => id),
        [idOf(rsa.publicKey)],
      );
    }
    const parameters = '-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----\n';
    const several = `comment\n${pem(rsa.publicKey, 'spki')}${parameters}${pem(ec.privateKey, 'sec1')}`;
    const keys = readVerificationKeys(several);
    assert.deepEqual(
      keys.map(({ id, key }) => [id, key.type]),
      [
        [idOf(rsa.publicKey), 'public'],
        [idOf(ec.publicKey), 'public'],
      ],
    );
    assert.equal(uniqueKeys([...keys, ...keys]).length, 2);
  });

  it('are read from certificates', async () => {
    const [key] = readVerificationKeys((await TestAuthority.create()).pem);
    assert.equal(key?.key.asymmetricKeyType, 'ec');
  });

  it('report the error of a file, and nothing of its content', () => {
    const secret = pem(rsa.privateKey, 'pkcs8').replace(/[A-Za-z0-9+/]{8}\n/, 'AAAA\n');
    for (const text of ['', 'x', secret, pem(generateKeyPairSync('ed25519').publicKey, 'spki')]) {
      assert.throws(
        () => readVerificationKeys(text),
        (e: Error) => e.message.startsWith('holds ') && e.message.length < 120,
      );
    }
    assert.throws(() => readSigningKey(pem(rsa.publicKey, 'spki')), /^Error: holds no PEM private key/);
    assert.throws(
      () => readSigningKey(pem(generateKeyPairSync('ed25519').privateKey, 'pkcs8')),
      /^Error: holds a key that is neither RSA/,
    );
  });

  it('verify what they signed: the key that a token names, or any', () => {
    const [first, second] = [readSigningKey(pem(rsa.privateKey, 'pkcs8')), readSigningKey(pem(ec.privateKey, 'sec1'))];
    const sign = (keyId: string) =>
      parseJsonWebToken(signJsonWebToken({}, second.privateKey, second.algorithm, keyId))!;
    assert.ok(isSignedByOneOf(sign(second.id), [first, second]));
    assert.ok(isSignedByOneOf(sign(''), [first, second]));
    assert.equal(isSignedByOneOf(sign(first.id), [first, second]), false);
    assert.equal(isSignedByOneOf(sign('unknown'), [first, second]), false);
    assert.equal(isSignedByOneOf(sign(second.id), [first]), false);
  });
});
