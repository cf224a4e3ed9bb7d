import assert from 'node:assert/strict';
import { IndexSet } from './index-set.ts';

describe('IndexSet', () => {
  const texts: [number[], string][] = [
    [[], ''],
    [[3], '3'],
    [[4, 3], '3,4'],
    [[3, 5, 4, 9], '3-5,9'],
    [[0, 1, 2, 3, 7, 8, 1], '0-3,7,8'],
  ];
  for (const [indexes, text] of texts) {
    it(`writes and reads "${text}"`, () => {
      assert.equal(String(IndexSet.of(indexes)), text);
      assert.equal(String(IndexSet.parse(text, 10)), text);
      assert.equal(IndexSet.parse(text, 10).size, new Set(indexes).size);
      for (let i = 0; i < 10; i++) assert.equal(IndexSet.of(indexes).has(i), indexes.includes(i));
    });
  }

  it('leaves out indexes that the job has no more', () => {
    assert.equal(String(IndexSet.parse('0-3,7', 3)), '0-2');
    assert.equal(String(IndexSet.parse(undefined, 3)), '');
  });

  it('unites, counts what is common, and finds what is missing', () => {
    const some = IndexSet.parse('1,3-5,9', 12);
    assert.equal(String(some.with(IndexSet.of([2, 10]))), '1-5,9,10');
    assert.equal(some.common(IndexSet.parse('0-3,5-9', 12)), 4);
    assert.deepEqual(some.firstMissing(4, 12), [0, 2, 6, 7]);
    assert.deepEqual(some.firstMissing(20, 11), [0, 2, 6, 7, 8, 10]);
    assert.deepEqual(IndexSet.empty.firstMissing(2, 1), [0]);
  });
});
