import assert from 'node:assert/strict';
import type { Secret } from '../../generated/types/core-v1.ts';
import { InvalidCredentials } from '../authenticator.ts';
import { bootstrapTokenAuthenticator } from './authenticator.ts';

describe('bootstrapTokenAuthenticator', () => {
  const now = Date.parse('2030-01-01T00:00:00Z');
  const good = { 'token-id': 'abcdef', 'token-secret': '0123456789abcdef', 'usage-bootstrap-authentication': 'true' };

  function authenticate(data: Record<string, string>, token = 'abcdef.0123456789abcdef', more: Partial<Secret> = {}) {
    const asked: string[] = [];
    const encoded = Object.fromEntries(
      Object.entries(data).map(([key, value]) => [key, Buffer.from(value).toString('base64')]),
    );
    const secret = {
      metadata: { name: 'bootstrap-token-abcdef' },
      type: 'bootstrap.kubernetes.io/token',
      data: encoded,
      ...more,
    } as Secret;
    const tokens = bootstrapTokenAuthenticator(
      async (name) => {
        asked.push(name);
        return name === 'bootstrap-token-abcdef' ? secret : undefined;
      },
      () => now,
    );
    return { asked, answer: Promise.resolve(tokens.authenticateToken(token, [])) };
  }

  it('knows tokens by their secrets', async () => {
    assert.deepEqual(await authenticate(good).answer, {
      user: { name: 'system:bootstrap:abcdef', groups: ['system:bootstrappers'] },
    });
    const { answer } = authenticate({
      ...good,
      expiration: '2030-01-01T00:00:01Z',
      'auth-extra-groups': 'system:bootstrappers:w,system:bootstrappers:a:b-1',
    });
    assert.deepEqual((await answer)?.user.groups, [
      'system:bootstrappers',
      'system:bootstrappers:a:b-1',
      'system:bootstrappers:w',
    ]);
  });

  it('reads no secret when the token is of another form', async () => {
    for (const token of [
      'abcdef',
      'abcdef.0123456789ABCDEF',
      '../../x.0123456789abcdef',
      'abcdef.0123456789abcdef0',
      'abcdef.0123456789abcdef\n',
    ]) {
      const { asked, answer } = authenticate(good, token);
      assert.equal(await answer, undefined, token);
      assert.deepEqual(asked, []);
    }
    assert.equal(await authenticate(good, 'zzzzzz.0123456789abcdef').answer, undefined);
  });

  it('refuses secrets that are expired, being deleted, or for another use', async () => {
    const bad: [string, Record<string, string>, Partial<Secret>?][] = [
      ['another secret', { ...good, 'token-secret': 'fedcba9876543210' }],
      ['no secret', { ...good, 'token-secret': '' }],
      ['another id', { ...good, 'token-id': 'zzzzzz' }],
      ['expired', { ...good, expiration: '2030-01-01T00:00:00Z' }],
      ['no time', { ...good, expiration: 'tomorrow' }],
      ['a time of another form', { ...good, expiration: '2031' }],
      ['not for authentication', { ...good, 'usage-bootstrap-authentication': 'yes' }],
      ['masters', { ...good, 'auth-extra-groups': 'system:masters' }],
      ['masters behind a line', { ...good, 'auth-extra-groups': 'system:bootstrappers:a\nsystem:masters' }],
      ['a group without a name', { ...good, 'auth-extra-groups': 'system:bootstrappers:a,' }],
      ['another type', good, { type: 'Opaque' }],
      ['being deleted', good, { metadata: { deletionTimestamp: '2029-01-01T00:00:00Z' } as Secret['metadata'] }],
    ];
    for (const [what, data, more] of bad)
      await assert.rejects(
        authenticate(data, undefined, more).answer,
        (e) => e instanceof InvalidCredentials && !/0123456789|fedcba/.test(e.message),
        what,
      );
  });
});
