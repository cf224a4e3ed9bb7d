import assert from 'node:assert/strict';
import { PieceMemory } from './piece-memory.ts';

describe('PieceMemory', () => {
  let made: string[];
  const memory = () =>
    new PieceMemory((first, second) => {
      made.push(`${first}-${second}`);
      return `<${first}|${second}>`;
    });
  beforeEach(() => {
    made = [];
  });

  it('makes a piece once for both of its texts', () => {
    const pieces = memory();
    assert.deepEqual(
      [pieces.get('a', 'b'), pieces.get('a', 'b'), pieces.get('a'), pieces.get('b', 'a')],
      ['<a|b>', '<a|b>', '<a|>', '<b|a>'],
    );
    assert.deepEqual(made, ['a-b', 'a-', 'b-a']);
  });

  it('does not cache long pieces', () => {
    const pieces = memory();
    const long = 'x'.repeat(257);
    for (let i = 0; i < 2; i++) assert.equal(pieces.get('a', long), `<a|${long}>`);
    assert.equal(made.length, 2);
  });

  it('is bounded', () => {
    const pieces = memory();
    for (let i = 0; i <= 1000; i++) pieces.get(`${i % 7}`, `${i}`);
    assert.equal(pieces.get('0', '0'), '<0|0>');
    assert.equal(made.length, 1002);
  });
});
