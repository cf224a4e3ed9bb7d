import assert from 'node:assert/strict';
import { assertKey, keyBytesMax, keyProblem, prefixEnd } from './store-key.ts';
import { InvalidKeyError } from './store-errors.ts';

describe('store keys', () => {
  it('takes keys up to the limit in bytes, not in characters', () => {
    assert.equal(keyProblem('k'.repeat(keyBytesMax)), undefined);
    assert.match(keyProblem('k'.repeat(keyBytesMax + 1)) ?? '', /longer than/);
    assert.equal(keyProblem('é'.repeat(keyBytesMax / 2)), undefined);
    assert.match(keyProblem('é'.repeat(keyBytesMax / 2 + 1)) ?? '', /longer than/);
  });

  it('refuses empty keys, NUL characters and half surrogate pairs', () => {
    assert.throws(() => assertKey(''), InvalidKeyError);
    assert.throws(() => assertKey('a\0b'), InvalidKeyError);
    assert.throws(() => assertKey('a\ud800'), InvalidKeyError);
    assert.doesNotThrow(() => assertKey('a/😀'));
    assert.doesNotThrow(() => assertKey('pods/default/__proto__'));
  });

  it('finds the end of a prefix', () => {
    assert.deepEqual(prefixEnd(Buffer.from('/registry/')), Buffer.from('/registry0'));
    assert.deepEqual(prefixEnd(Buffer.from([0x61, 0xff, 0xff])), Buffer.from([0x62]));
    assert.equal(prefixEnd(Buffer.from([])), undefined);
    assert.equal(prefixEnd(Buffer.from([0xff])), undefined);
  });
});
