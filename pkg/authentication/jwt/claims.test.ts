import assert from 'node:assert/strict';
import { InvalidCredentials } from '../authenticator.ts';
import { checkTimes, textClaim, textsClaim } from './claims.ts';
import type { Claims } from './json-web-token.ts';

describe('claims', () => {
  const now = 1_000_000;

  it('hold within their times, by clocks a minute apart', () => {
    for (const claims of [
      { exp: now + 1 },
      { exp: now - 59 },
      { exp: now + 1, nbf: now + 60, iat: now + 60 },
      { exp: now + 0.5, nbf: null },
    ])
      checkTimes(claims, now * 1000);
  });

  it('do not hold outside of them', () => {
    const bad: Claims[] = [
      {},
      { exp: null },
      { exp: now - 60 },
      { exp: '9999999999' },
      { exp: Infinity },
      { exp: now + 1, nbf: now + 61 },
      { exp: now + 1, iat: now + 61 },
      { exp: now + 1, nbf: 'x' },
      { exp: { valueOf: 5 } },
    ];
    assert.throws(() => checkTimes({ exp: now }, now * 1000, 0), /has expired/);
    checkTimes({ exp: now + 1, nbf: now + 60, iat: now + 60 }, now * 1000, 0);
    for (const claims of bad)
      assert.throws(() => checkTimes(claims, now * 1000), InvalidCredentials, JSON.stringify(claims));
  });

  it('are texts or lists of texts', () => {
    const claims = JSON.parse('{"a":"x","b":["x","y"],"c":5,"d":["x",5],"e":null,"__proto__":"p"}') as Claims;
    assert.deepEqual(
      ['a', 'c', 'z', '__proto__', 'toString'].map((name) => textClaim(claims, name)),
      ['x', undefined, undefined, 'p', undefined],
    );
    assert.deepEqual(
      ['a', 'b', 'c', 'd', 'e', 'z', 'constructor'].map((name) => textsClaim(claims, name)),
      [['x'], ['x', 'y'], undefined, undefined, [], [], []],
    );
  });
});
