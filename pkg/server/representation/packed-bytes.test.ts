import assert from 'node:assert/strict';
import { packBytes, unpackBytes } from './packed-bytes.ts';

describe('packed bytes', () => {
  for (const texts of [[], [''], ['a', '', 'bcd'], ['ü'.repeat(5000), 'x']]) {
    it(`come back as they were: ${texts.length} of ${texts.map((t) => t.length).join(', ')} characters`, () => {
      const packed = structuredClone(packBytes(texts.map((text) => Buffer.from(text))));
      assert.deepEqual(
        unpackBytes(packed).map((bytes) => Buffer.from(bytes).toString()),
        texts,
      );
    });
  }

  it('have memory of their own', () => {
    const bytes = Buffer.from('abc');
    const packed = packBytes([bytes]);
    bytes[0] = 0;
    assert.equal(packed.bytes.buffer.byteLength, 3);
    assert.equal(Buffer.from(unpackBytes(packed)[0]!).toString(), 'abc');
  });
});
