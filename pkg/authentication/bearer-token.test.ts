import assert from 'node:assert/strict';
import { knownTokens, presented } from './authentication-testing.ts';
import { InvalidCredentials } from './authenticator.ts';
import { bearerTokenAuthenticator } from './bearer-token.ts';

describe('bearerTokenAuthenticator', () => {
  const authenticator = bearerTokenAuthenticator(knownTokens({ t1: 'alice' }));
  const header = (value: string) => presented([['Authorization', value]]);

  it('recognizes a token and removes it from the request', async () => {
    for (const value of ['Bearer t1', 'bearer t1', '  BEARER t1 ']) {
      const request = header(value);
      assert.equal((await authenticator.authenticate(request))?.user.name, 'alice', value);
      assert.equal(request.headers.authorization, undefined);
    }
  });

  it('refuses an unknown token, without quoting it', async () => {
    await assert.rejects(
      async () => authenticator.authenticate(header('Bearer s3cret')),
      (e) => e instanceof InvalidCredentials && !e.message.includes('s3cret'),
    );
    await assert.rejects(async () => authenticator.authenticate(header('Bearer bad')), InvalidCredentials);
    await assert.rejects(async () => authenticator.authenticate(header('Bearer t1 t1')), InvalidCredentials);
    await assert.rejects(async () => authenticator.authenticate(header('Bearer down')), /out of reach/);
  });

  it('ignores a token behind too many spaces, and warns', async () => {
    const request = header('Bearer  t1');
    assert.equal(await authenticator.authenticate(request), undefined);
    assert.deepEqual(request.warnings, [
      'the provided Authorization header contains extra space before the bearer token, and is ignored',
    ]);
  });

  it('recognizes a token beyond ASCII, of which the runtime makes a character of each byte', async () => {
    const request = { ...header('Bearer schl\xfcssel'), headers: { authorization: 'Bearer schl\xc3\xbcssel' } };
    assert.equal(
      (await bearerTokenAuthenticator(knownTokens({ schlüssel: 'alice' })).authenticate(request))?.user.name,
      'alice',
    );
  });

  it('ignores other requests', async () => {
    for (const value of ['', 'Bearer', 'Bearer ', 'Basic t1', 'Bearert1', 'Bearer\tt1', 't1'])
      assert.equal(await authenticator.authenticate(header(value)), undefined, value);
    assert.equal(await authenticator.authenticate(presented()), undefined);
  });
});
