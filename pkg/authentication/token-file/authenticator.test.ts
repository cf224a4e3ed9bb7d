import assert from 'node:assert/strict';
import { readCredentials } from '../credentials-file.ts';
import { tokenFileAuthenticator } from './authenticator.ts';

describe('tokenFileAuthenticator', () => {
  const tokens = tokenFileAuthenticator(readCredentials('t1,alice,1,"staff,ops"\nt2,bob,2\nt2,carol,3\n'));

  it('knows the tokens of the file, of a repeated one the last', async () => {
    assert.deepEqual(await tokens.authenticateToken('t1', []), {
      user: { name: 'alice', uid: '1', groups: ['staff', 'ops'] },
    });
    assert.deepEqual(await tokens.authenticateToken('t2', []), { user: { name: 'carol', uid: '3', groups: [] } });
  });

  it('knows no others', async () => {
    for (const token of ['t', 't1 ', 'T1', '', '__proto__', 'alice'])
      assert.equal(await tokens.authenticateToken(token, []), undefined, token);
  });
});
