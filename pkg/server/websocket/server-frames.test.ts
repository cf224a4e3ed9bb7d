import assert from 'node:assert/strict';
import { binaryMessages, closeFrame, frameHead, opcodes, pongFrame, textMessages } from './server-frames.ts';

describe('frames of a server', () => {
  it('say their length in as few bytes as it takes', () => {
    const heads = [0, 125, 126, 65_535, 65_536, 5_000_000_000].map((bytes) =>
      frameHead(opcodes.text, bytes).toString('hex'),
    );
    assert.deepEqual(heads, ['8100', '817d', '817e007e', '817effff', '817f0000000000010000', '817f000000012a05f200']);
  });

  it('are one for each event', () => {
    assert.equal(
      Buffer.from(textMessages([Buffer.from('{}\n'), Buffer.from('[]')])).toString('latin1'),
      '\x81\x03{}\n\x81\x02[]',
    );
  });

  it('have events of protobuf without the length that stands before them in a stream', () => {
    assert.equal(
      Buffer.from(binaryMessages([Buffer.from('\0\0\0\x02ab'), Buffer.from('\0\0\0\x00')])).toString('latin1'),
      '\x82\x02ab\x82\x00',
    );
  });

  it('close with a code, and give pings back', () => {
    assert.deepEqual(
      [Buffer.from(closeFrame(1000)).toString('hex'), Buffer.from(pongFrame(Buffer.from('a'))).toString('hex')],
      ['880203e8', '8a0161'],
    );
  });
});
