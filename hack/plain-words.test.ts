import assert from 'node:assert/strict';
import { unplainWord } from './plain-words.ts';

describe('unplainWord', () => {
  const word = ['some', 'body'].join('');
  for (const [line, isMarkdown, expected] of [
    [`// Called when ${word} reads.`, false, word],
    [`const a = 1; // For ${word}.`, false, word],
    [`  it('answers ${word}', () => undefined);`, false, word],
    [`- ${word} reads`, true, word],
    ['// Called with each reader.', false, undefined],
    [`// The user \`${word}\`.`, false, undefined],
    [`const user = '${word}';`, false, undefined],
    [`  it(\`answers \${${word}}\`, () => undefined);`, false, undefined],
    [`- the user \`${word}\``, true, undefined],
  ] as const) {
    it(`is ${expected === undefined ? 'absent from' : 'found in'} ${JSON.stringify(line.replaceAll(word, '…'))}`, () =>
      assert.equal(unplainWord(line, isMarkdown), expected));
  }
});
