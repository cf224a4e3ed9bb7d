import assert from 'node:assert/strict';
import fc from 'fast-check';
import { stringifyEscaped } from '../../apimachinery/json/go-json.ts';
import { cutText, heapGrowth } from '../../apimachinery/heap-growth-testing.ts';
import { quoted, quotedAgain } from './quoted-text.ts';

describe('texts of audit events', () => {
  it('are written as Go writes JSON, the first time and again', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string(), fc.string({ unit: 'binary' }), fc.string({ minLength: 200, maxLength: 400 })),
        (text) => {
          const json = stringifyEscaped(text);
          assert.deepEqual([quoted(text), quotedAgain(text), quotedAgain(text)], [json, json, json]);
        },
      ),
    );
  });

  it('are cached without the texts of which they are slices', () => {
    assert.ok(
      heapGrowth(() => {
        for (let i = 0; i < 50; i++) quotedAgain(cutText(i));
        return quotedAgain;
      }) < 20_000_000,
    );
  });

  it('are written alike for any number of them', () => {
    for (let i = 0; i < 5000; i++) assert.equal(quotedAgain(`text "${i}"`), JSON.stringify(`text "${i}"`));
    assert.equal(quotedAgain('text "1"'), '"text \\"1\\""');
  });
});
