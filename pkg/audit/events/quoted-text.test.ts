import assert from 'node:assert/strict';
import fc from 'fast-check';
import { quoted, quotedAgain } from './quoted-text.ts';

describe('texts of audit events', () => {
  it('are written as JSON does, the first time and again', () => {
    fc.assert(fc.property(fc.oneof(fc.string(), fc.string({ unit: 'binary' }), fc.string({ minLength: 200, maxLength: 400 })), (text) => {
      const json = JSON.stringify(text);
      assert.deepEqual([quoted(text), quotedAgain(text), quotedAgain(text)], [json, json, json]);
    }));
  });

  it('are written alike however many there were', () => {
    for (let i = 0; i < 5000; i++) assert.equal(quotedAgain(`text "${i}"`), JSON.stringify(`text "${i}"`));
    assert.equal(quotedAgain('text "1"'), '"text \\"1\\""');
  });
});
