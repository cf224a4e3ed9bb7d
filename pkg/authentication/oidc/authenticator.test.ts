import assert from 'node:assert/strict';
import { createHmac, generateKeyPairSync } from 'node:crypto';
import { TestAuthority } from '../../net/certificates-testing.ts';
import { WebhookError } from '../../webhooks/webhook-error.ts';
import { InvalidCredentials } from '../authenticator.ts';
import type { Claims } from '../jwt/json-web-token.ts';
import { oidcAuthenticator, type OidcSettings } from './authenticator.ts';
import { rsaKey, TestIssuer } from './issuer-testing.ts';

describe('oidcAuthenticator', () => {
  const [first, second] = [rsaKey('first'), rsaKey('second')];
  const start = Date.parse('2030-01-01T00:00:00Z');
  let now = start;
  let issuer: TestIssuer;

  before(async () => {
    issuer = await TestIssuer.start([first]);
  });
  beforeEach(() => {
    now = start;
    issuer.keys = [first];
    issuer.keySet = undefined;
    issuer.discovery = {};
    issuer.down = false;
    issuer.takeRequests();
  });
  after(() => issuer.close());

  const open = (settings: Partial<OidcSettings> = {}) =>
    oidcAuthenticator({
      issuer: issuer.url,
      clientId: 'kube',
      ca: issuer.service.ca,
      usernameClaim: 'sub',
      usernamePrefix: '-',
      groupsClaim: '',
      groupsPrefix: '',
      requiredClaims: new Map(),
      signingAlgorithms: ['RS256'],
      nowMs: () => now,
      ...settings,
    });
  const userOf = async (claims: Claims, settings: Partial<OidcSettings> = {}) =>
    (await open(settings).authenticateToken(issuer.token(claims, now), []))?.user;
  const refused = async (token: string, pattern: RegExp, tokens = open()) => {
    await assert.rejects(
      async () => tokens.authenticateToken(token, []),
      (error: Error) => {
        assert(error instanceof InvalidCredentials, String(error));
        assert.match(error.message, pattern);
        return !error.message.includes(token);
      },
    );
  };

  describe('reads the user', () => {
    it('from the claim, with the issuer as prefix by default', async () => {
      assert.deepEqual(await userOf({}), { name: 'jane', groups: [] });
      assert.equal((await userOf({}, { usernamePrefix: '' }))?.name, `${issuer.url}#jane`);
      assert.equal((await userOf({}, { usernamePrefix: 'oidc:' }))?.name, 'oidc:jane');
      assert.equal((await userOf({ login: 'jj' }, { usernameClaim: 'login' }))?.name, 'jj');
    });

    it('from an email that is verified, or that the issuer does not mark', async () => {
      const email = { usernameClaim: 'email', usernamePrefix: '' };
      assert.equal((await userOf({ email: 'j@x', email_verified: true }, email))?.name, 'j@x');
      assert.equal((await userOf({ email: 'j@x' }, email))?.name, 'j@x');
      for (const email_verified of [false, 'true', null, 1])
        await refused(issuer.token({ email: 'j@x', email_verified }, now), /not verified/, open(email));
      assert.equal((await userOf({ email: 'j@x', email_verified: false }))?.name, 'jane');
    });

    it('never from anything but text', async () => {
      for (const sub of ['', 5, null, ['jane'], { a: 1 }]) await refused(issuer.token({ sub }, now), /no user name/);
    });
  });

  it('reads groups from a text or a list of texts', async () => {
    const settings = { groupsClaim: 'roles', groupsPrefix: 'oidc:' };
    assert.deepEqual((await userOf({ roles: ['a', 'b'] }, settings))?.groups, ['oidc:a', 'oidc:b']);
    assert.deepEqual((await userOf({ roles: 'a' }, settings))?.groups, ['oidc:a']);
    assert.deepEqual((await userOf({}, settings))?.groups, []);
    assert.deepEqual((await userOf({ roles: ['system:masters'] }))?.groups, []);
    for (const roles of [5, [5], { a: 1 }, true])
      await refused(issuer.token({ roles }, now), /neither a text nor a list/, open(settings));
  });

  it('requires claims', async () => {
    const settings = {
      requiredClaims: new Map([
        ['hd', 'example.com'],
        ['tenant', 't'],
      ]),
    };
    assert.ok(await userOf({ hd: 'example.com', tenant: 't' }, settings));
    for (const claims of [
      {},
      { hd: 'example.com' },
      { hd: 'example.com', tenant: ['t'] },
      { hd: 'example.org', tenant: 't' },
    ])
      await refused(issuer.token(claims, now), /not as required/, open(settings));
  });

  it('refuses tokens for other clients, outside of their time, or without one', async () => {
    await refused(issuer.token({ aud: 'other' }, now), /another client/);
    await refused(issuer.token({ aud: undefined }, now), /another client/);
    assert.ok(await userOf({ aud: ['other', 'kube'] }));
    await refused(issuer.token({}, now - 3600_000), /expired/);
    assert.ok(await open().authenticateToken(issuer.token({}, now - 3599_000), []));
    await refused(issuer.token({ nbf: start / 1000 + 61 }, now), /not valid yet/);
    assert.ok(await userOf({ nbf: Math.floor(start / 1000) + 60, iat: Math.floor(start / 1000) + 60 }));
    await refused(issuer.token({ exp: undefined }, now), /no expiry/);
  });

  it('refuses algorithms that are not allowed, and keys in the wrong place', async () => {
    const es = { id: 'es', algorithm: 'ES256', ...generateKeyPairSync('ec', { namedCurve: 'P-256' }) };
    issuer.keys = [first, es];
    await refused(issuer.token({}, now, es), /not allowed/);
    assert.ok(await open({ signingAlgorithms: ['RS256', 'ES256'] }).authenticateToken(issuer.token({}, now, es), []));
    await refused(
      issuer.token({}, now, { ...first, algorithm: 'RS512' }),
      /no key of the issuer/,
      open({ signingAlgorithms: ['RS256', 'RS512'] }),
    );
    const [, body] = issuer.token({}, now).split('.');
    for (const alg of ['none', 'HS256']) {
      const input = `${Buffer.from(JSON.stringify({ alg, kid: 'first' })).toString('base64url')}.${body}`;
      const mac = createHmac('sha256', first.publicKey.export({ type: 'spki', format: 'pem' }))
        .update(input)
        .digest('base64url');
      await refused(`${input}.${mac}`, /not allowed/);
      await refused(`${input}.${mac}`, /no key of the issuer/, open({ signingAlgorithms: [alg] }));
    }
  });

  it('ignores tokens of other issuers, and sends no request for them', async () => {
    for (const token of [
      'abc',
      issuer.token({ iss: `${issuer.url}/` }, now),
      issuer.token({ iss: 'https://elsewhere' }, now),
    ])
      assert.equal(await open().authenticateToken(token, []), undefined);
    assert.deepEqual(issuer.takeRequests(), []);
  });

  describe('finds the keys', () => {
    it('once, shared by all requests that wait for them', async () => {
      const tokens = open();
      const token = issuer.token({}, now);
      await Promise.all([1, 2, 3, 4].map(async () => tokens.authenticateToken(token, [])));
      await tokens.authenticateToken(token, []);
      assert.deepEqual(issuer.takeRequests(), ['/.well-known/openid-configuration', '/keys']);
    });

    it('again when a token names a new one', async () => {
      const tokens = open();
      await tokens.authenticateToken(issuer.token({}, now), []);
      issuer.keys = [second];
      assert.ok(await tokens.authenticateToken(issuer.token({}, now, second), []));
      assert.deepEqual(issuer.takeRequests(), ['/.well-known/openid-configuration', '/keys', '/keys']);
      await refused(issuer.token({}, now, first), /no key/, tokens);
    });

    it('at a limited rate, also when clients send tokens with made-up keys', async () => {
      const tokens = open();
      await tokens.authenticateToken(issuer.token({}, now), []);
      issuer.takeRequests();
      for (let i = 0; i < 50; i++)
        await refused(issuer.token({}, now, { ...second, id: `made-up-${i}` }), /no key/, tokens);
      assert.equal(issuer.takeRequests().length, 4);
      now += 10_000;
      issuer.keys = [first, second];
      assert.ok(await tokens.authenticateToken(issuer.token({}, now, second), []));
      assert.equal(issuer.takeRequests().length, 1);
    });

    it('again when one changed under its name', async () => {
      const tokens = open();
      await tokens.authenticateToken(issuer.token({}, now), []);
      const changed = { ...second, id: 'first' };
      await refused(issuer.token({}, now, changed), /no key/, tokens);
      issuer.keys = [changed];
      assert.ok(await tokens.authenticateToken(issuer.token({}, now, changed), []));
      await refused(issuer.token({}, now, first), /no key/, tokens);
      issuer.takeRequests();
      for (let i = 0; i < 50; i++) await refused(issuer.token({}, now, first), /no key/, tokens);
      assert.equal(issuer.takeRequests().length, 1);
    });

    it('after the issuer was down at first; known ones stay in use while it is down later', async () => {
      const tokens = open();
      issuer.down = true;
      await assert.rejects(async () => tokens.authenticateToken(issuer.token({}, now), []), WebhookError);
      issuer.down = false;
      assert.ok(await tokens.authenticateToken(issuer.token({}, now), []));
      issuer.down = true;
      assert.ok(await tokens.authenticateToken(issuer.token({}, now), []));
      await refused(issuer.token({}, now, second), /no key/, tokens);
    });

    it('only where they can be trusted', async () => {
      const fails = async (settings: Partial<OidcSettings>, pattern: RegExp) =>
        assert.rejects(
          async () => open(settings).authenticateToken(issuer.token({}, now), []),
          (e: Error) => !(e instanceof InvalidCredentials) && pattern.test(e.message),
        );
      await fails({ ca: (await TestAuthority.create()).pem }, /the connection failed/);
      issuer.discovery = { issuer: 'https://elsewhere' };
      await fails({}, /of another issuer/);
      issuer.discovery = { jwks_uri: issuer.url.replace('https:', 'http:') };
      await fails({}, /the URL is not https/);
      issuer.discovery = { jwks_uri: 5 };
      await fails({}, /does not say where/);
      issuer.discovery = {};
      for (const [keySet, pattern] of [
        [[], /holds no keys/],
        [{ keys: null }, /holds no keys/],
        ['x'.repeat(2_000_000), /larger than/],
      ] as const) {
        issuer.keySet = keySet;
        await fails({}, pattern);
      }
    });

    it('skips keys for other uses', async () => {
      const jwk = first.publicKey.export({ format: 'jwk' });
      const token = issuer.token({}, now);
      for (const keys of [
        [{ ...jwk, kid: 'first', use: 'enc' }],
        [{ kty: 'oct', k: 'AAAA', kid: 'first' }],
        [{ ...jwk, kid: 'first', alg: 'RS512' }],
        [{ kty: 'RSA', kid: 'first' }],
        [null, 5, 'x'],
      ]) {
        issuer.keySet = { keys };
        await refused(token, /no key/);
      }
      issuer.keySet = { keys: [null, { kty: 'oct', k: 'AAAA' }, jwk] };
      assert.ok(await open().authenticateToken(token, []));
    });
  });
});
