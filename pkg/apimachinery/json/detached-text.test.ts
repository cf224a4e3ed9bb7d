import assert from 'node:assert/strict';
import fc from 'fast-check';
import { detachedText } from './detached-text.ts';
import { cutText, heapGrowth } from '../heap-growth-testing.ts';

const numbers = Array.from({ length: 50 }, (_, i) => i);

describe('detachedText', () => {
  it('is the same text, for any content', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => assert.equal(detachedText(text), text)));
    assert.equal(detachedText('\ud800 alone'), '\ud800 alone');
  });

  it('keeps nothing of the text of which it is a slice, as the slice does', () => {
    assert.ok(heapGrowth(() => numbers.map(cutText)) > 40_000_000);
    assert.ok(heapGrowth(() => numbers.map((i) => detachedText(cutText(i)))) < 20_000_000);
  });
});
