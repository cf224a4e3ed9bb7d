import assert from 'node:assert/strict';
import fc from 'fast-check';
import { cutText, heapGrowth } from '../heap-growth-testing.ts';
import { KeyTree } from './key-tree.ts';

type Keys = [string, string, string, string, string];

describe('KeyTree', () => {
  it('finds the latest value of the same keys, and of no others', () => {
    const key = fc.constantFrom('', 'a', 'b', 'ab', '__proto__');
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.tuple(key, key, key, key, key), fc.nat())), (entries) => {
        const tree = new KeyTree<number>();
        const model = new Map<string, number>();
        for (const [keys, value] of entries) {
          tree.set(...(keys as Keys), value);
          model.set(JSON.stringify(keys), value);
        }
        assert.equal(tree.size, model.size);
        for (const [text, value] of model) assert.equal(tree.get(...(JSON.parse(text) as Keys)), value);
        assert.equal(tree.get('a', 'b', 'a', 'b', 'c'), undefined);
      }),
    );
  });

  it('keeps nothing of the texts of which its keys are slices', () => {
    const tree = new KeyTree<number>();
    assert.ok(
      heapGrowth(() => {
        for (let i = 0; i < 50; i++) tree.set(cutText(i), cutText(i), cutText(i), cutText(i), cutText(i), i);
        return tree;
      }) < 20_000_000,
    );
    assert.equal(tree.size, 50);
  });

  it('is empty once it is cleared', () => {
    const tree = new KeyTree<number>();
    tree.set('a', '', '', '', '', 1);
    tree.clear();
    assert.deepEqual([tree.size, tree.get('a', '', '', '', '')], [0, undefined]);
  });
});
