import assert from 'node:assert/strict';
import { presented } from '../authentication-testing.ts';
import { InvalidCredentials } from '../authenticator.ts';
import { readCredentials } from '../credentials-file.ts';
import { basicAuthFileAuthenticator } from './authenticator.ts';

describe('basicAuthFileAuthenticator', () => {
  const authenticator = basicAuthFileAuthenticator(
    readCredentials('pass:word,alice,1,"staff"\n,empty,2\nold,bob,3\nnew,bob,3\n'),
  );
  const basic = (text: string, scheme = 'Basic') =>
    presented([['Authorization', `${scheme} ${Buffer.from(text).toString('base64')}`]]);

  it('knows names with their passwords, and removes the header', async () => {
    const request = basic('alice:pass:word');
    assert.deepEqual(await authenticator.authenticate(request), {
      user: { name: 'alice', uid: '1', groups: ['staff'] },
    });
    assert.equal(request.headers.authorization, undefined);
    assert.equal((await authenticator.authenticate(basic('bob:new', 'bAsIc')))?.user.name, 'bob');
  });

  it('refuses wrong passwords and unknown names in the same words', () => {
    const refusal = (text: string): string => {
      try {
        void authenticator.authenticate(basic(text));
        return 'let in';
      } catch (error) {
        assert(error instanceof InvalidCredentials);
        return error.message;
      }
    };
    const words = refusal('alice:wrong');
    for (const text of ['nobody:pass:word', 'alice:', 'alice:pass', 'bob:old', 'empty:', ':', '__proto__:x'])
      assert.equal(refusal(text), words, text);
    assert.doesNotMatch(words, /alice|pass:word/);
  });

  it('refuses a header that is not name and password', () => {
    assert.throws(() => authenticator.authenticate(basic('alice')), InvalidCredentials);
    assert.throws(
      () =>
        authenticator.authenticate(
          presented([['Authorization', `Basic ${Buffer.from([0xff, 0x3a, 0xfe]).toString('base64')}`]]),
        ),
      InvalidCredentials,
    );
    assert.throws(() => authenticator.authenticate(presented([['Authorization', 'Basic ']])), InvalidCredentials);
  });

  it('ignores other requests', async () => {
    assert.equal(await authenticator.authenticate(presented()), undefined);
    assert.equal(await authenticator.authenticate(presented([['Authorization', 'Bearer abc']])), undefined);
  });
});
