import assert from 'node:assert/strict';
import { anonymousAuthenticator } from '../anonymous/authenticator.ts';
import { knownTokens, presented } from '../authentication-testing.ts';
import { InvalidCredentials, type RequestAuthenticator } from '../authenticator.ts';
import { bearerTokenAuthenticator } from '../bearer-token.ts';
import {
  addingAuthenticatedGroup,
  addingAuthenticatedGroupToTokens,
  withAuthenticatedGroup,
} from './authenticated-group.ts';
import { reportingFailures } from './reported-failures.ts';
import { requestUnion } from './request-union.ts';
import { tokenUnion } from './token-union.ts';

describe('tokenUnion', () => {
  it('runs in order, and stops at the first user', async () => {
    const [first, second] = [knownTokens({ a: 'first' }), knownTokens({ a: 'second', b: 'second' })];
    const union = tokenUnion([first, second]);
    assert.equal((await union.authenticateToken('a', []))?.user.name, 'first');
    assert.deepEqual(second.asked, []);
    assert.equal((await union.authenticateToken('b', []))?.user.name, 'second');
    assert.equal(await union.authenticateToken('c', []), undefined);
  });

  it('continues after a refusal, and throws failures before refusals', async () => {
    const refuses = {
      name: 'Refuses',
      authenticateToken: () => {
        throw new InvalidCredentials('no');
      },
    };
    const fails = { name: 'Fails', authenticateToken: () => Promise.reject(new Error('out of reach')) };
    assert.equal(
      (await tokenUnion([refuses, fails, knownTokens({ a: 'alice' })]).authenticateToken('a', []))?.user.name,
      'alice',
    );
    await assert.rejects(async () => tokenUnion([refuses, fails]).authenticateToken('a', []), /out of reach/);
    await assert.rejects(async () => tokenUnion([refuses]).authenticateToken('a', []), InvalidCredentials);
  });
});

describe('requestUnion', () => {
  const tokens = bearerTokenAuthenticator(knownTokens({ t1: 'alice' }));
  const union = requestUnion([tokens], anonymousAuthenticator);

  it('treats only requests without credentials as anonymous', async () => {
    assert.deepEqual((await union.authenticate(presented()))?.user, {
      name: 'system:anonymous',
      groups: ['system:unauthenticated'],
    });
    for (const token of ['unknown', 'bad', 'down'])
      await assert.rejects(async () => union.authenticate(presented([['Authorization', `Bearer ${token}`]])));
    assert.equal(await requestUnion([tokens]).authenticate(presented()), undefined);
  });

  it('runs the others after an invalid credential', async () => {
    const refuses: RequestAuthenticator = {
      name: 'Refuses',
      authenticate: () => {
        throw new InvalidCredentials('no');
      },
    };
    assert.equal(
      (await requestUnion([refuses, tokens]).authenticate(presented([['Authorization', 'Bearer t1']])))?.user.name,
      'alice',
    );
  });
});

describe('addingAuthenticatedGroup', () => {
  it('adds the group of authenticated users, once, and only to them', async () => {
    const union = addingAuthenticatedGroup(
      requestUnion([bearerTokenAuthenticator(knownTokens({ t1: 'alice' }))], anonymousAuthenticator),
    );
    assert.deepEqual((await union.authenticate(presented([['Authorization', 'Bearer t1']])))?.user.groups, [
      'system:authenticated',
    ]);
    assert.deepEqual((await union.authenticate(presented()))?.user.groups, ['system:unauthenticated']);
    assert.deepEqual(
      (await addingAuthenticatedGroupToTokens(knownTokens({ t1: 'alice' })).authenticateToken('t1', []))?.user.groups,
      ['system:authenticated'],
    );
    assert.deepEqual(withAuthenticatedGroup({ name: 'x', groups: ['system:authenticated', 'a'] }).groups, [
      'system:authenticated',
      'a',
    ]);
    assert.deepEqual(withAuthenticatedGroup({ name: 'x', groups: ['system:unauthenticated'] }).groups, [
      'system:unauthenticated',
    ]);
  });
});

describe('reportingFailures', () => {
  it('treats a token that cannot be checked as invalid, and logs the reason', async () => {
    const heard: string[] = [];
    const tokens = reportingFailures(
      knownTokens({ t1: 'alice' }),
      (error, where) => void heard.push(`${where}: ${String(error)}`),
    );
    assert.equal((await tokens.authenticateToken('t1', []))?.user.name, 'alice');
    for (const token of ['bad', 'down'])
      await assert.rejects(async () => tokens.authenticateToken(token, []), InvalidCredentials);
    assert.deepEqual(heard, ['authentication: Error: out of reach']);
  });
});
