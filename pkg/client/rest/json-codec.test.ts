import assert from 'node:assert/strict';
import { jsonCodec } from './json-codec.ts';

describe('the JSON codec of clients', () => {
  it('writes the bytes that Go programs write: a server keeps those of raw values', () => {
    const data = { args: ['a && b'], annotations: { 10: 'a', 9: 'b' } };
    assert.equal(
      Buffer.from(jsonCodec.encode({ data })).toString(),
      '{"data":{"args":["a \\u0026\\u0026 b"],"annotations":{"10":"a","9":"b"}}}',
    );
  });
});
