import assert from 'node:assert/strict';
import { TestAuthority } from '../../net/certificates-testing.ts';
import { WebhookError } from '../../webhooks/webhook-error.ts';
import { InvalidCredentials } from '../authenticator.ts';
import type { Claims } from '../jwt/json-web-token.ts';
import { oidcAuthenticator, type OidcSettings } from './authenticator.ts';
import { rsaKey, TestIssuer } from './issuer-testing.ts';

describe('claims of other endpoints', () => {
  const start = Date.parse('2030-01-01T00:00:00Z');
  let now = start;
  /** Signs the tokens of users, and the one with the groups of a user. */
  let [people, directory]: TestIssuer[] = [];
  before(async () => {
    const authority = await TestAuthority.create();
    [people, directory] = await Promise.all([
      TestIssuer.start([rsaKey('people')], authority),
      TestIssuer.start([rsaKey('directory')], authority),
    ]);
  });
  beforeEach(() => {
    now = start;
    directory!.down = false;
    says({ groups: ['dev', 'ops'] });
    people!.takeRequests();
    directory!.takeRequests();
  });
  after(() => Promise.all([people, directory].map((issuer) => issuer!.close())));

  /** The answer of the directory at `/groups`: a token with these claims, or a text unchanged. */
  const says = (claims: Claims | string, signer = directory!): void => {
    directory!.endpoints.set('/groups', (_request, response) => {
      response
        .writeHead(200, { 'content-type': 'application/jwt' })
        .end(typeof claims === 'string' ? claims : `${signer.token(claims, now)}\n`);
    });
  };
  const open = (settings: Partial<OidcSettings> = {}) =>
    oidcAuthenticator({
      issuer: people!.url,
      clientId: 'kube',
      ca: people!.service.ca,
      usernameClaim: 'sub',
      usernamePrefix: '-',
      groupsClaim: 'groups',
      groupsPrefix: '',
      requiredClaims: new Map(),
      signingAlgorithms: ['RS256'],
      nowMs: () => now,
      ...settings,
    });
  const source = (more: object = {}): Claims => ({
    _claim_names: { groups: 'src' },
    _claim_sources: { src: { endpoint: `${directory!.url}/groups`, ...more } },
  });
  const groupsOf = async (claims: Claims, tokens = open()) =>
    (await tokens.authenticateToken(people!.token(claims, now), []))?.user.groups;
  const refused = (claims: Claims, pattern: RegExp, tokens = open()) =>
    assert.rejects(
      async () => groupsOf(claims, tokens),
      (error: Error) => error instanceof InvalidCredentials && pattern.test(error.message),
    );
  const failed = (claims: Claims, pattern: RegExp, tokens = open()) =>
    assert.rejects(
      async () => groupsOf(claims, tokens),
      (error: Error) => error instanceof WebhookError && pattern.test(error.message),
    );

  it('are fetched, verified by the keys of the issuer that signed them, and count as if they stood in the token', async () => {
    assert.deepEqual(await groupsOf(source()), ['dev', 'ops']);
    assert.deepEqual(await groupsOf(source(), open({ groupsPrefix: 'oidc:' })), ['oidc:dev', 'oidc:ops']);
    says({ groups: 'dev' });
    assert.deepEqual(await groupsOf(source()), ['dev']);
    assert.deepEqual(await groupsOf(source(), open({ requiredClaims: new Map([['groups', 'dev']]) })), ['dev']);
  });

  it('are fetched with the token that goes with them, which no other request contains', async () => {
    const shown = async (more: object): Promise<(string | undefined)[]> => {
      directory!.service.received.splice(0);
      await groupsOf(source(more));
      return directory!.service.received.map(({ path, headers }) =>
        headers.authorization === undefined ? path : `${path} ${headers.authorization}`,
      );
    };
    const keys = ['/.well-known/openid-configuration', '/keys'];
    assert.deepEqual(await shown({}), ['/groups', ...keys]);
    assert.deepEqual(await shown({ access_token: '' }), ['/groups', ...keys]);
    assert.deepEqual(await shown({ access_token: 's3cret' }), ['/groups Bearer s3cret', ...keys]);
    assert.ok(people!.service.received.every(({ headers }) => headers.authorization === undefined));
  });

  it('are fetched once for requests that come together or soon after, for each token again', async () => {
    const tokens = open();
    await Promise.all([1, 2, 3].map(() => groupsOf(source(), tokens)));
    now += 9_999;
    await groupsOf(source(), tokens);
    assert.deepEqual(directory!.takeRequests(), ['/groups', '/.well-known/openid-configuration', '/keys']);
    await groupsOf(source({ access_token: 'other' }), tokens);
    now += 2;
    says({ groups: ['left'] });
    assert.deepEqual(await groupsOf(source(), tokens), ['left']);
    assert.deepEqual(directory!.takeRequests(), ['/groups', '/groups']);
  });

  it('are not fetched where the token has them itself, names none, or embeds them as a token', async () => {
    assert.deepEqual(await groupsOf({ groups: ['own'], ...source() }), ['own']);
    assert.deepEqual(await groupsOf({ ...source(), _claim_names: { other: 'src' } }), []);
    assert.deepEqual(
      await groupsOf({
        _claim_names: { groups: 'src' },
        _claim_sources: { src: { JWT: directory!.token({ groups: ['dev'] }, now) } },
      }),
      [],
    );
    assert.deepEqual(await groupsOf(source(), open({ groupsClaim: '' })), []);
    assert.deepEqual(await groupsOf({ _claim_sources: source()._claim_sources }), []);
    assert.deepEqual(directory!.takeRequests(), []);
  });

  it('are refused where the token does not say where they are', async () => {
    await refused({ _claim_names: { groups: 'src' } }, /no source/);
    for (const names of ['src', 5, ['src'], null]) await refused({ ...source(), _claim_names: names }, /no object/);
    for (const name of ['other', '__proto__', 5, { src: 1 }])
      await refused({ ...source(), _claim_names: { groups: name } }, /says nothing of the source/);
    await refused({ _claim_names: { groups: 'src' }, _claim_sources: { src: 'https://elsewhere' } }, /no object/);
    await refused(source({ endpoint: 5 }), /no text/);
    await refused(source({ endpoint: 'groups' }), /no URL/);
    await refused(source({ access_token: ['x'] }), /no text/);
  });

  it('are refused where the answer is no valid token for this client', async () => {
    const bad: [Claims | string, RegExp][] = [
      [{ groups: ['dev'], aud: 'other' }, /another client/],
      [{ groups: ['dev'], exp: now / 1000 - 61 }, /expired/],
      [{ groups: ['dev'], exp: undefined }, /no expiry/],
      [{}, /does not say it/],
      [{ groups: ['dev'], iss: undefined }, /no token of an issuer/],
      [{ groups: ['dev'], iss: 'directory' }, /no token of an issuer/],
      ['', /no token of an issuer/],
      ['{"groups":["dev"]}', /no token of an issuer/],
      [{ groups: { a: 1 } }, /neither a text nor a list/],
      [`${directory!.token({ groups: ['dev'] }, now).slice(0, -4)}AAAA`, /no key of the issuer/],
    ];
    for (const [answer, pattern] of bad) {
      says(answer);
      await refused(source(), pattern);
    }
    says({ groups: ['dev'], iss: directory!.url }, people);
    await refused(source(), /no key of the issuer/);
  });

  it('are refused where they are signed with an algorithm that is not allowed', async () => {
    const key = rsaKey('long', 'RS512');
    directory!.keys = [...directory!.keys, key];
    says(directory!.token({ groups: ['dev'] }, now, key));
    await refused(source(), /not allowed/);
    assert.deepEqual(await groupsOf(source(), open({ signingAlgorithms: ['RS256', 'RS512'] })), ['dev']);
  });

  it('are refused from endpoints that fail, redirect, send too much, or have no valid certificate', async () => {
    const status = (code: number, headers = {}) =>
      directory!.endpoints.set('/groups', (_request, response) => void response.writeHead(code, headers).end());
    status(401);
    await failed(source(), /answered 401/);
    status(302, { location: `${people!.url}/groups` });
    await failed(source({ access_token: 's3cret' }), /answered 302/);
    assert.ok(people!.service.received.every(({ path }) => path !== '/groups'));
    says('x'.repeat(70_000));
    await failed(source(), /larger than/);
    says({ groups: ['dev'] });
    const elsewhere = await TestIssuer.start([], await TestAuthority.create());
    await failed(source({ endpoint: `${elsewhere.url}/groups` }), /the connection failed/);
    await elsewhere.close();
    await failed(source({ endpoint: `${directory!.url.replace('https:', 'http:')}/groups` }), /not https/);
    says({ groups: ['dev'], iss: 'http://127.0.0.1/' });
    await failed(source(), /not https/);
    says({ groups: ['dev'] });
    directory!.down = true;
    await failed(source(), /answered 503/);
  });
});
