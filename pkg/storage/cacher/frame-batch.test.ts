import assert from 'node:assert/strict';
import { FrameBatch } from './frame-batch.ts';

describe('FrameBatch', () => {
  const batch = (...texts: string[]) => new FrameBatch(texts.map((text) => Buffer.from(text)));

  it('joins its frames, once', () => {
    const two = batch('first\n', 'second\n');
    assert.equal(Buffer.from(two.bytes).toString(), 'first\nsecond\n');
    assert.equal(two.bytes, two.bytes);
  });

  it('makes one chunk of them, once', () => {
    const two = batch('first\n', 'x'.repeat(20));
    assert.equal(Buffer.from(two.http1Chunk()).toString(), `1a\r\nfirst\n${'x'.repeat(20)}\r\n`);
    assert.equal(two.http1Chunk(), two.http1Chunk());
  });

  it('returns a single frame unchanged', () => {
    const frame = Buffer.from('only');
    assert.equal(new FrameBatch([frame]).bytes, frame);
  });
});
