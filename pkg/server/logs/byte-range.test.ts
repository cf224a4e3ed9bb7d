import assert from 'node:assert/strict';
import { byteRange } from './byte-range.ts';

describe('byteRange', () => {
  const cases: readonly (readonly [
    header: string | undefined,
    size: number,
    expected: ReturnType<typeof byteRange>,
  ])[] = [
    ['bytes=0-0', 10, { first: 0, last: 0 }],
    ['bytes=2-5', 10, { first: 2, last: 5 }],
    ['bytes=2-', 10, { first: 2, last: 9 }],
    ['bytes=-3', 10, { first: 7, last: 9 }],
    ['bytes=5-99', 10, { first: 5, last: 9 }],
    ['bytes=-99', 10, { first: 0, last: 9 }],
    [`bytes=0-${'9'.repeat(400)}`, 10, { first: 0, last: 9 }],
    ['bytes=10-', 10, 'unsatisfiable'],
    ['bytes=0-', 0, 'unsatisfiable'],
    ['bytes=-0', 10, 'unsatisfiable'],
    ['bytes=-5', 0, 'unsatisfiable'],
    [`bytes=${'9'.repeat(400)}-`, 10, 'unsatisfiable'],
    [undefined, 10, undefined],
    ['', 10, undefined],
    ['bytes=-', 10, undefined],
    ['bytes=5-2', 10, undefined],
    ['bytes=0-1,4-5', 10, undefined],
    ['lines=0-1', 10, undefined],
    ['bytes=a-b', 10, undefined],
    ['bytes=1.5-2', 10, undefined],
    ['bytes=--5', 10, undefined],
  ];
  for (const [header, size, expected] of cases) {
    it(`${header === undefined ? 'no header' : JSON.stringify(header.slice(0, 20))} of ${size} bytes`, () =>
      assert.deepEqual(byteRange(header, size), expected));
  }
});
