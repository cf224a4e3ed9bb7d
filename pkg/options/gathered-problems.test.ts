import assert from 'node:assert/strict';
import { GatheredProblems } from './gathered-problems.ts';
import { OptionsError, optionProblem } from './options-error.ts';

describe('GatheredProblems', () => {
  it('keeps the errors of builders, each problem once, and throws them together', () => {
    const gathered = new GatheredProblems();
    const failing =
      (...problems: string[]) =>
      () => {
        throw new OptionsError(problems);
      };
    assert.deepEqual(
      [gathered.attempt(() => 5), gathered.attempt(failing('a', 'b')), gathered.attempt(failing('b', 'c'))],
      [5, undefined, undefined],
    );
    assert.throws(() => gathered.throwIfAny(), { name: 'OptionsError', problems: ['a', 'b', 'c'], message: 'a\nb\nc' });
  });

  it('lets other errors through, and throws nothing without problems', () => {
    const gathered = new GatheredProblems();
    assert.throws(
      () =>
        gathered.attempt(() => {
          throw new TypeError('a bug');
        }),
      { message: 'a bug' },
    );
    assert.doesNotThrow(() => gathered.throwIfAny());
  });
});

describe('optionProblem', () => {
  it('names option, value and rule', () =>
    assert.deepEqual(
      [optionProblem('v', 'x', 'must be y'), optionProblem('v', '', 'must be there')],
      ['--v=x: must be y', '--v: must be there'],
    ));
});
