import assert from 'node:assert/strict';
import { readTag } from './html-tag.ts';

describe('readTag', () => {
  /** Name, attributes with their values, and the rest. */
  const read = (text: string): unknown => {
    const tag = readTag(text, 0);
    return tag === undefined
      ? undefined
      : [tag.name, tag.attributes.map(({ name, start, end }) => [name, text.slice(start, end)]), text.slice(tag.end)];
  };

  it('reads attributes in every syntax', () => {
    assert.deepEqual(read('<a>x'), ['a', [], 'x']);
    assert.deepEqual(read('<A HREF = "/x" b=\'c>d\' e=/f/ g checked/>x'), [
      'a',
      [
        ['href', '/x'],
        ['b', 'c>d'],
        ['e', '/f/'],
      ],
      'x',
    ]);
    assert.deepEqual(read('<img/src=a\nalt="it\'s">'), [
      'img',
      [
        ['src', 'a'],
        ['alt', "it's"],
      ],
      '',
    ]);
    assert.deepEqual(read('<p title=it\'s data-x="">'), [
      'p',
      [
        ['title', "it's"],
        ['data-x', ''],
      ],
      '',
    ]);
    assert.deepEqual(read('<a =b=c d= >x'), [
      'a',
      [
        ['=b', 'c'],
        ['d', ''],
      ],
      'x',
    ]);
  });

  it('recognizes no tag before its end', () => {
    for (const text of [
      '<a',
      '<a ',
      '<a href',
      '<a href=',
      '<a href= ',
      '<a href="/x',
      "<a href='>",
      '<a href=/x',
      '<a href="/x"',
      '<a /',
    ])
      assert.equal(readTag(text, 0), undefined, text);
  });
});
