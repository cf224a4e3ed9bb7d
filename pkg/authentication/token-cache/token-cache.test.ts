import assert from 'node:assert/strict';
import { knownTokens } from '../authentication-testing.ts';
import type { TokenAuthenticator } from '../authenticator.ts';
import { cachedTokens } from './token-cache.ts';

describe('cachedTokens', () => {
  let now = 0;
  let seen: string[] = [];
  const observer = {
    asked: (result: string) => void seen.push(result),
    fetching: (state: string, change: number) => void seen.push(`${state}${change}`),
    fetched: (result: string) => void seen.push(result),
  };
  const cached = (inner: TokenAuthenticator, knownMs = 1000, unknownMs = 500) =>
    cachedTokens(inner, { knownMs, unknownMs, nowMs: () => now, observer });

  beforeEach(() => {
    now = 0;
    seen = [];
  });

  it('caches known and unknown tokens for their times', async () => {
    const inner = knownTokens({ t1: 'alice' });
    const tokens = cached(inner);
    for (const at of [0, 499, 500, 999, 1000]) {
      now = at;
      assert.equal((await tokens.authenticateToken('t1', []))?.user.name, 'alice');
      assert.equal(await tokens.authenticateToken('t2', []), undefined);
    }
    assert.deepEqual(inner.asked, ['t1', 't2', 't2', 't1', 't2']);
  });

  it('caches each list of audiences separately', async () => {
    const inner = knownTokens({ t1: 'alice' });
    const tokens = cached(inner);
    for (const audiences of [[], ['a'], ['a', 'b'], ['a'], ['a,b']]) await tokens.authenticateToken('t1', audiences);
    assert.equal(inner.asked.length, 4);
  });

  it('does not cache failures', async () => {
    const inner = knownTokens({});
    const tokens = cached(inner);
    for (let i = 0; i < 2; i++) await assert.rejects(async () => tokens.authenticateToken('down', []));
    assert.equal(inner.asked.length, 2);
    assert.deepEqual(seen.slice(0, 4), ['in_flight1', 'error', 'in_flight-1', 'miss']);
  });

  it('caches nothing for a time of 0', async () => {
    const inner = knownTokens({ t1: 'alice' });
    const tokens = cached(inner, 0, 0);
    await tokens.authenticateToken('t1', []);
    await tokens.authenticateToken('t1', []);
    assert.equal(inner.asked.length, 2);
  });

  it('shares a lookup in flight', async () => {
    const inner = knownTokens({ t1: 'alice' });
    const tokens = cached(inner);
    const answers = await Promise.all([1, 2, 3].map(async () => tokens.authenticateToken('t1', [])));
    assert.deepEqual(
      answers.map((a) => a?.user.name),
      ['alice', 'alice', 'alice'],
    );
    assert.equal(inner.asked.length, 1);
    assert.equal(seen.filter((s) => s === 'blocked1').length, 2);
    await tokens.authenticateToken('t1', []);
    assert.equal(seen.at(-1), 'hit');
  });

  it('keeps a bounded number of tokens', async () => {
    const inner = knownTokens({ t1: 'alice' });
    const tokens = cached(inner);
    await tokens.authenticateToken('t1', []);
    for (let i = 0; i < 5000; i++) await tokens.authenticateToken(`junk${i}`, []);
    await tokens.authenticateToken('t1', []);
    assert.equal(inner.asked.filter((t) => t === 't1').length, 2);
  });
});
