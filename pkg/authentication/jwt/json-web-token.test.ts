import assert from 'node:assert/strict';
import { createHmac, generateKeyPairSync, type KeyObject } from 'node:crypto';
import fc from 'fast-check';
import { parseJsonWebToken, signJsonWebToken, type JsonWebToken } from './json-web-token.ts';
import { createSignature, signingAlgorithmOf, verifySignature } from './signature-algorithms.ts';

describe('JSON web tokens', () => {
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const curves = {
    ES256: ec,
    ES384: generateKeyPairSync('ec', { namedCurve: 'P-384' }),
    ES512: generateKeyPairSync('ec', { namedCurve: 'P-521' }),
  };
  const encode = (value: unknown) =>
    Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');
  const verified = (token: JsonWebToken | undefined, key: KeyObject) =>
    token !== undefined && verifySignature(token.algorithm, key, token.input, token.signature);

  it('are signed and verified with every algorithm', () => {
    for (const algorithm of ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512']) {
      const token = parseJsonWebToken(signJsonWebToken({ sub: 'x' }, rsa.privateKey, algorithm, 'k'));
      assert.deepEqual([token?.algorithm, token?.keyId, token?.claims], [algorithm, 'k', { sub: 'x' }]);
      assert.ok(verified(token, rsa.publicKey), algorithm);
    }
    for (const [algorithm, pair] of Object.entries(curves))
      assert.ok(
        verified(parseJsonWebToken(signJsonWebToken({}, pair.privateKey, algorithm, 'k')), pair.publicKey),
        algorithm,
      );
    assert.deepEqual(
      [rsa, ...Object.values(curves)].map(({ publicKey }) => signingAlgorithmOf(publicKey)),
      ['RS256', 'ES256', 'ES384', 'ES512'],
    );
  });

  it('are invalid with another key, algorithm, or content', () => {
    const other = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const text = signJsonWebToken({ sub: 'x' }, rsa.privateKey, 'RS256', 'k');
    const token = parseJsonWebToken(text)!;
    assert.equal(verified(token, other.publicKey), false);
    assert.equal(verified(token, ec.publicKey), false);
    assert.equal(verifySignature('RS384', rsa.publicKey, token.input, token.signature), false);
    assert.equal(verifySignature('PS256', rsa.publicKey, token.input, token.signature), false);
    const [head, , signature] = text.split('.');
    assert.equal(verified(parseJsonWebToken(`${head}.${encode({ sub: 'y' })}.${signature}`), rsa.publicKey), false);
    assert.equal(verified(parseJsonWebToken(`${head}.${encode({ sub: 'x' })}.`), rsa.publicKey), false);
  });

  it('are never valid without a signature, nor with one made of the public key', () => {
    const body = encode({ sub: 'x' });
    const spki = rsa.publicKey.export({ type: 'spki', format: 'pem' });
    for (const algorithm of [
      'none',
      'None',
      'NONE',
      '',
      'HS256',
      'HS384',
      'HS512',
      'rs256',
      '__proto__',
      'constructor',
    ]) {
      const input = `${encode({ alg: algorithm })}.${body}`;
      const mac = createHmac('sha256', spki).update(input).digest('base64url');
      for (const signature of ['', mac])
        assert.equal(verified(parseJsonWebToken(`${input}.${signature}`), rsa.publicKey), false, algorithm);
      assert.throws(() => createSignature(algorithm, rsa.privateKey, input));
    }
  });

  it('refuse the two zeros that once passed for any ECDSA signature', () => {
    const input = `${encode({ alg: 'ES256' })}.${encode({})}`;
    assert.equal(
      verified(parseJsonWebToken(`${input}.${Buffer.alloc(64).toString('base64url')}`), ec.publicKey),
      false,
    );
  });

  it('are refused when keys are weak or of another kind', () => {
    const weak = generateKeyPairSync('rsa', { modulusLength: 512 });
    assert.equal(signingAlgorithmOf(weak.publicKey), undefined);
    assert.equal(signingAlgorithmOf(generateKeyPairSync('ed25519').publicKey), undefined);
    assert.equal(signingAlgorithmOf(generateKeyPairSync('ec', { namedCurve: 'secp256k1' }).publicKey), undefined);
  });

  it('are not read from other texts', () => {
    const good = `${encode({ alg: 'RS256' })}.${encode({})}.AAAA`;
    assert.notEqual(parseJsonWebToken(good), undefined);
    const bad = [
      '',
      'a',
      'a.b',
      `${good}.x`,
      good.replace('.', '..'),
      `${good}=`,
      ` ${good}`,
      `${good}\n`,
      `${encode('[]')}.${encode({})}.AAAA`,
      `${encode({})}.${encode({})}.AAAA`,
      `${encode({ alg: 5 })}.${encode({})}.AAAA`,
      `${encode({ alg: 'RS256', crit: ['b64'], b64: false })}.${encode({})}.AAAA`,
      `${encode({ alg: 'RS256', kid: 5 })}.${encode({})}.AAAA`,
      `${encode({ alg: 'RS256' })}.${encode('[1]')}.AAAA`,
      `${encode({ alg: 'RS256' })}.${encode('{')}.AAAA`,
      `${encode({ alg: 'RS256' })}.${Buffer.from([0xff]).toString('base64url')}.AAAA`,
      `${encode({ alg: 'RS256' })}.${encode('['.repeat(10_000))}.AAAA`,
      `${encode({ alg: 'RS256' })}.${encode({ x: 'y'.repeat(100_000) })}.AAAA`,
      '{"payload":"x","signatures":[]}',
    ];
    for (const text of bad) assert.equal(parseJsonWebToken(text), undefined, text.slice(0, 100));
  });

  it('are read from any text without failing', () => {
    const part = fc.oneof(fc.string(), fc.json().map(encode), fc.base64String());
    fc.assert(
      fc.property(fc.array(part, { maxLength: 5 }), (parts) => {
        const token = parseJsonWebToken(parts.join('.'));
        assert.equal(verified(token, rsa.publicKey), false);
      }),
      { numRuns: 500 },
    );
  });
});
