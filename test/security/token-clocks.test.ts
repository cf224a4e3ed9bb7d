/** Tokens whose times are around now, far away, or no times: signed right, and still good for their own time only. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { type Claims, parseJsonWebToken, signJsonWebToken } from '../../pkg/authentication/jwt/json-web-token.ts';
import { readSigningKey, type SigningKey } from '../../pkg/authentication/service-account/verification-keys.ts';
import { startTestServer, type TestServer } from '../fixtures/test-server.ts';
import { whoAmI } from '../fixtures/who-am-i.ts';

const HOUR = 3600;
const YEAR = 365 * 24 * HOUR;

/** Times in seconds from now; a text or another value stands for itself. */
const cases: readonly (readonly [what: string, times: (now: number) => Claims, good: boolean])[] = [
  ['begins now and ends in an hour', (now) => ({ nbf: now, iat: now, exp: now + HOUR }), true],
  [
    'was made by a clock that is half a minute ahead',
    (now) => ({ nbf: now + 30, iat: now + 30, exp: now + HOUR }),
    true,
  ],
  [
    'was made by a clock that is five minutes ahead',
    (now) => ({ nbf: now + 300, iat: now + 300, exp: now + HOUR }),
    false,
  ],
  ['ended half a minute ago by this clock', (now) => ({ nbf: now - HOUR, iat: now - HOUR, exp: now - 30 }), true],
  ['ended two minutes ago', (now) => ({ nbf: now - HOUR, iat: now - HOUR, exp: now - 120 }), false],
  ['ended long ago', () => ({ nbf: 0, iat: 0, exp: 1 }), false],
  ['begins in a year', (now) => ({ nbf: now + YEAR, iat: now, exp: now + 2 * YEAR }), false],
  ['was issued in a year', (now) => ({ nbf: now, iat: now + YEAR, exp: now + 2 * YEAR }), false],
  ['ends before it begins', (now) => ({ nbf: now + 200, iat: now, exp: now + 100 }), false],
  ['has no end', (now) => ({ nbf: now, iat: now, exp: undefined }), false],
  ['ends at null', (now) => ({ nbf: now, iat: now, exp: null }), false],
  ['ends at a text', (now) => ({ nbf: now, iat: now, exp: String(now + HOUR) }), false],
  ['ends at a list', (now) => ({ nbf: now, iat: now, exp: [now + HOUR] }), false],
  ['ends at an object', (now) => ({ nbf: now, iat: now, exp: { valueOf: now + HOUR } }), false],
  ['ends before time began', (now) => ({ nbf: now, iat: now, exp: -1 }), false],
  [
    'ended, in milliseconds of the future',
    (now) => ({ nbf: now * 1000, iat: now * 1000, exp: (now + HOUR) * 1000 }),
    false,
  ],
  ['begins at a text', (now) => ({ nbf: 'now', iat: now, exp: now + HOUR }), false],
];

describe('clocks of tokens', () => {
  let server: TestServer;
  let key: SigningKey;
  let claims: Claims;

  before(async () => {
    server = await startTestServer({ args: ['--authorization-mode=AlwaysAllow'] });
    const accounts = '/api/v1/namespaces/default/serviceaccounts';
    assert.equal((await server.client.post(accounts, { metadata: { name: 'robot' } })).status, 201);
    const { json } = await server.client.post(`${accounts}/robot/token`, { spec: {} });
    claims = parseJsonWebToken(json.status.token)!.claims;
    key = readSigningKey(
      readFileSync(path.join(path.dirname(server.running.kubeconfig.path), 'pki', 'service-account.key'), 'utf8'),
    );
  });
  after(async () => {
    await server.stop();
    assert.deepEqual(server.errors, []);
  });

  for (const [what, times, good] of cases) {
    it(`a token that ${what} is ${good ? 'good' : 'refused'}`, async () => {
      const token = signJsonWebToken(
        { ...claims, ...times(Math.floor(Date.now() / 1000)) },
        key.privateKey,
        key.algorithm,
        key.id,
      );
      const { status, user } = await whoAmI(server, { token });
      assert.deepEqual(
        [status, user?.username],
        good ? [201, 'system:serviceaccount:default:robot'] : [401, undefined],
      );
      const review = await server.client.post('/apis/authentication.k8s.io/v1/tokenreviews', { spec: { token } });
      assert.equal(review.json.status.authenticated === true, good);
    });
  }

  it('an answer that was remembered ends with its token', async () => {
    const now = Math.floor(Date.now() / 1000);
    // Of the minute of grace for clocks four seconds are left.
    const token = signJsonWebToken(
      { ...claims, nbf: now - HOUR, iat: now - HOUR, exp: now - 56 },
      key.privateKey,
      key.algorithm,
      key.id,
    );
    assert.equal((await whoAmI(server, { token })).status, 201);
    const deadline = Date.now() + 15_000;
    while ((await whoAmI(server, { token })).status === 201 && Date.now() < deadline)
      await new Promise((resolve) => setTimeout(resolve, 200));
    assert.equal((await whoAmI(server, { token })).status, 401);
  });
});
