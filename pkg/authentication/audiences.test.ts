import assert from 'node:assert/strict';
import { forAudiences } from './audiences.ts';
import { knownTokens } from './authentication-testing.ts';

describe('forAudiences', () => {
  const tokens = forAudiences(['api', 'other'], knownTokens({ t1: 'alice' }));

  it('lets a token be valid for the requested audiences of this server', async () => {
    assert.deepEqual((await tokens.authenticateToken('t1', ['x', 'api']))?.audiences, ['api']);
    assert.equal((await tokens.authenticateToken('t1', []))?.audiences, undefined);
  });

  it('ignores tokens for other audiences', async () => {
    const inner = knownTokens({ t1: 'alice' });
    assert.equal(await forAudiences(['api'], inner).authenticateToken('t1', ['x']), undefined);
    assert.deepEqual(inner.asked, []);
    assert.equal(await tokens.authenticateToken('t2', ['api']), undefined);
  });
});
