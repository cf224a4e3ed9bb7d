import assert from 'node:assert/strict';
import fc from 'fast-check';
import protobuf from 'protobufjs/minimal.js';
import { readerOf } from './sharing-reader.ts';

/** The bytes as a string field's value. */
const valueOf = (bytes: Uint8Array): Uint8Array => protobuf.Writer.create().bytes(bytes).finish();

/** Reads the same bytes twice: the second time the text comes from the cache. */
function readTwice(bytes: Uint8Array): string[] {
  return [1, 2].map(() => {
    const r = readerOf(Buffer.concat([valueOf(bytes), Buffer.from('tail')]));
    const text = r.string();
    assert.equal(r.pos, r.len - 'tail'.length);
    return text;
  });
}

describe('the sharing reader', () => {
  const texts = [
    '',
    'a',
    'TCP',
    'ü',
    '\u{1F600}',
    '\0',
    'x'.repeat(48),
    'x'.repeat(49),
    `${'x'.repeat(47)}ü`,
    'registry.example.com/app:1',
    '\u00c3\u00bc',
    '\ufffd',
  ];
  for (const text of texts) {
    it(`reads ${JSON.stringify(text.slice(0, 30))} of ${text.length}`, () =>
      assert.deepEqual(readTwice(Buffer.from(text)), [text, text]));
  }

  it('reads any texts after any others', () => {
    // Few letters and short texts, so that the same slots of the cache are used again and again.
    const similar = fc.array(fc.string({ unit: fc.constantFrom('a', 'b', 'ü', '\u{1F600}'), maxLength: 50 }), {
      maxLength: 50,
    });
    fc.assert(
      fc.property(similar, (all) => {
        for (const text of all) assert.deepEqual(readTwice(Buffer.from(text)), [text, text]);
      }),
    );
  });

  it('reads invalid UTF-8 as Node does', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
        const text = Buffer.from(bytes).toString();
        assert.deepEqual(readTwice(bytes), [text, text]);
      }),
    );
  });

  it('takes bytes that are no Buffer', () => {
    const bytes = new Uint8Array([9, 9, ...valueOf(Buffer.from('ab'))]).subarray(2);
    assert.equal(readerOf(bytes).string(), 'ab');
  });

  it('refuses lengths beyond the bytes', () => {
    for (const hex of ['', '01', '0561', 'ffffffff7f', '8080808010'])
      assert.throws(() => readerOf(Buffer.from(hex, 'hex')).string(), RangeError, hex);
  });
});
