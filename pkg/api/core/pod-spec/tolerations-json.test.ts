import assert from 'node:assert/strict';
import { tolerationsFromJson } from './tolerations-json.ts';

describe('tolerationsFromJson', () => {
  it('reads a list', () => {
    assert.deepEqual(tolerationsFromJson('[{"key":"a","operator":"Exists","tolerationSeconds":5,"other":1},null]'), [
      { key: 'a', operator: 'Exists', tolerationSeconds: 5 },
      {},
    ]);
    for (const none of ['[]', 'null']) assert.deepEqual(tolerationsFromJson(none), []);
  });

  it('reports the type of anything else', () => {
    for (const text of [
      '',
      '{',
      '{}',
      '5',
      '"a"',
      '[1]',
      '[{"key":5}]',
      '[{"key":{"toString":1}}]',
      '[{"tolerationSeconds":"x"}]',
      '['.repeat(100_000),
    ])
      assert.throws(
        () => tolerationsFromJson(text),
        (error: Error) => !(error instanceof TypeError) && error.message !== '',
        text.slice(0, 50),
      );
  });
});
