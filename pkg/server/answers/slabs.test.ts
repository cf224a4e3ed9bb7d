import assert from 'node:assert/strict';
import { giveSlabBack, SLAB_BYTES, takeSlab } from './slabs.ts';

describe('slabs', () => {
  it('are used again after they were given back, the last one first', () => {
    const [first, second] = [takeSlab(), takeSlab()];
    assert.notEqual(first, second);
    assert.deepEqual([first.length, second.length], [SLAB_BYTES, SLAB_BYTES]);
    giveSlabBack(first);
    giveSlabBack(second);
    assert.equal(takeSlab(), second);
    assert.equal(takeSlab(), first);
  });

  it('have separate memory', () => assert.equal(takeSlab().buffer.byteLength, SLAB_BYTES));

  it('are kept in bounded number', () => {
    const many = new Set(Array.from({ length: 200 }, takeSlab));
    many.forEach(giveSlabBack);
    const kept = Array.from({ length: 200 }, takeSlab).filter((slab) => many.has(slab));
    assert.ok(kept.length > 0 && kept.length * SLAB_BYTES <= 4 * 1024 * 1024, String(kept.length));
  });
});
