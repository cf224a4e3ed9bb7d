import assert from 'node:assert/strict';
import { adminTokenAuthenticator } from './authenticator.ts';

describe('adminTokenAuthenticator', () => {
  it('knows one token', async () => {
    const tokens = adminTokenAuthenticator('secret');
    assert.deepEqual(await tokens.authenticateToken('secret', []), {
      user: { name: 'admin', uid: 'admin', groups: ['system:masters'] },
    });
    for (const other of ['', 'secre', 'secrets', 'Secret', 'secret '])
      assert.equal(await tokens.authenticateToken(other, []), undefined, other);
  });
});
