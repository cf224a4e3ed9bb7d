import assert from 'node:assert/strict';
import { isAnswerOfType } from './is-answer-of-type.ts';

describe('isAnswerOfType', () => {
  const isReview = (answer: object): boolean => isAnswerOfType(answer, 'example.com/v1', 'Review');

  it('accepts an answer that names its type, or leaves it out', () => {
    for (const answer of [
      { apiVersion: 'example.com/v1', kind: 'Review' },
      { kind: 'Review' },
      { apiVersion: 'example.com/v1' },
      { apiVersion: '', kind: '' },
      { kind: null },
      {},
    ])
      assert.equal(isReview(answer), true, JSON.stringify(answer));
  });

  it('accepts no answer of another type', () => {
    for (const answer of [
      { apiVersion: 'example.com/v1beta1', kind: 'Review' },
      { apiVersion: 'v1' },
      { kind: 'Pod' },
      { kind: 5 },
      { kind: ['Review'] },
    ])
      assert.equal(isReview(answer), false, JSON.stringify(answer));
  });
});
