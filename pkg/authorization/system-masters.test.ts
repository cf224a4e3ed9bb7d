import assert from 'node:assert/strict';
import { alwaysAllow } from './always-allow/authorizer.ts';
import { alwaysDeny } from './always-deny/authorizer.ts';
import { asks, person } from './authorization-testing.ts';
import { systemMasters } from './system-masters.ts';
import { unionAuthorizer } from './union/authorizer.ts';

describe('the plain modes', () => {
  it('allow administrators whatever the other modes decide', async () => {
    const authorizer = unionAuthorizer([systemMasters, alwaysDeny]);
    assert.deepEqual(await authorizer.authorize(asks(person('root', 'system:masters'), 'delete', 'nodes')), {
      decision: 'allow',
      reason: '',
    });
    assert.deepEqual(await authorizer.authorize(asks(person('system:masters', 'system:master'), 'delete', 'nodes')), {
      decision: 'no-opinion',
      reason: 'Everything is forbidden.',
    });
  });

  it('list everything or nothing', async () => {
    assert.deepEqual((await alwaysAllow.rulesFor(person('u'), 'ns')).resourceRules, [
      { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
    ]);
    assert.deepEqual(await unionAuthorizer([systemMasters, alwaysDeny]).rulesFor(person('u', 'system:masters'), 'ns'), {
      resourceRules: [],
      nonResourceRules: [],
      incomplete: false,
    });
  });
});
