import assert from 'node:assert/strict';
import { isTooLong } from './line-length.ts';

const long = 'x'.repeat(130);

describe('isTooLong', () => {
  for (const [line, expected] of [
    [`  // ${'word '.repeat(30)}`, true],
    [`   * ${'word '.repeat(30)}`, true],
    [`   * https://${long}`, false],
    [`const a = '${long}';`, false],
    ['// short', false],
  ] as const) {
    it(`is ${expected} for ${line.slice(0, 40)}`, () => assert.equal(isTooLong(line), expected));
  }
});
