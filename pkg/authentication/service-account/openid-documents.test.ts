import assert from 'node:assert/strict';
import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { openIdDocuments } from './openid-documents.ts';
import { readVerificationKeys } from './verification-keys.ts';

describe('openIdDocuments', () => {
  const pairs = [
    generateKeyPairSync('rsa', { modulusLength: 2048 }),
    generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  ];
  const keys = pairs.flatMap(({ publicKey }) =>
    readVerificationKeys(publicKey.export({ type: 'spki', format: 'pem' }) as string),
  );
  const settings = { issuer: 'https://issuer', keys, address: { hostPort: '192.0.2.1:6443' }, keysUri: '' };

  it('name the issuer and the place of the keys', () => {
    const answer = openIdDocuments(settings)?.('/.well-known/openid-configuration');
    assert.equal(answer?.contentType, 'application/json');
    assert.deepEqual(JSON.parse(answer?.body ?? ''), {
      issuer: 'https://issuer',
      jwks_uri: 'https://192.0.2.1:6443/openid/v1/jwks',
      response_types_supported: ['id_token'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['ES256', 'RS256'],
    });
    assert.match(
      openIdDocuments({ ...settings, keysUri: 'https://keys/x' })?.('/.well-known/openid-configuration')?.body ?? '',
      /"jwks_uri":"https:\/\/keys\/x"/,
    );
  });

  it('hold the public keys and nothing private', () => {
    const answer = openIdDocuments(settings)?.('/openid/v1/jwks');
    assert.deepEqual([answer?.contentType, answer?.cacheControl], ['application/jwk-set+json', 'public, max-age=3600']);
    const shown = JSON.parse(answer?.body ?? '').keys as { kid: string; alg: string; use: string; d?: string }[];
    assert.deepEqual(
      shown.map(({ kid, alg, use, d }) => [kid, alg, use, d]),
      keys.map(({ id }, i) => [id, ['RS256', 'ES256'][i], 'sig', undefined]),
    );
    for (const [i, jwk] of shown.entries())
      assert.ok(createPublicKey({ key: jwk as never, format: 'jwk' }).equals(pairs[i]!.publicKey));
  });

  it('exist only for issuers with a URL for them', () => {
    for (const path of ['/openid/v1', '/openid/v1/jwks/x', '/openid/v1/jwks//'])
      assert.equal(openIdDocuments(settings)?.(path), undefined, path);
    for (const path of ['/openid/v1/jwks', '/.well-known/openid-configuration'])
      assert.deepEqual(openIdDocuments(settings)?.(`${path}/`), openIdDocuments(settings)?.(path));
    for (const issuer of ['kubernetes/serviceaccount', 'http://issuer', 'https://issuer?x', 'https://issuer#x'])
      assert.equal(openIdDocuments({ ...settings, issuer }), undefined, issuer);
  });
});
