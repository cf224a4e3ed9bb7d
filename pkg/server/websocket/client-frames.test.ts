import assert from 'node:assert/strict';
import { ClientFrames } from './client-frames.ts';
import { maskedFrame } from './masked-frame-testing.ts';
import { opcodes } from './server-frames.ts';

describe('ClientFrames', () => {
  /** The callbacks for `bytes` that come in pieces of `pieceBytes`. */
  function told(bytes: Uint8Array, pieceBytes = bytes.length): string[] {
    const events: string[] = [];
    const frames = new ClientFrames({
      ping: (payload) => events.push(`ping ${Buffer.from(payload)}`),
      end: (code) => events.push(`end ${code}`),
    });
    for (let i = 0; i < bytes.length; i += pieceBytes) frames.push(bytes.subarray(i, i + pieceBytes));
    return events;
  }

  it('reports pings and the end, whatever stands between them and wherever it is split', () => {
    const bytes = Buffer.concat([
      maskedFrame(opcodes.ping, 'a'),
      maskedFrame(opcodes.text, 'hello'),
      maskedFrame(opcodes.binary, 'x'.repeat(200)),
      maskedFrame(opcodes.text, 'y'.repeat(70_000)),
      maskedFrame(opcodes.text, ''),
      maskedFrame(opcodes.pong, 'unasked'),
      maskedFrame(opcodes.ping, ''),
      maskedFrame(opcodes.ping, 'b'.repeat(125)),
      maskedFrame(opcodes.close, '\u0003\u00e8bye'),
      maskedFrame(opcodes.ping, 'too late'),
    ]);
    for (const pieceBytes of [1, 2, 3, 7, 1000, bytes.length])
      assert.deepEqual(
        told(bytes, pieceBytes),
        ['ping a', 'ping ', `ping ${'b'.repeat(125)}`, 'end 1000'],
        `pieces of ${pieceBytes}`,
      );
  });

  it('takes messages in fragments, with pings between them', () => {
    assert.deepEqual(
      told(
        Buffer.concat([
          maskedFrame(opcodes.text, 'he', { fin: false }),
          maskedFrame(opcodes.ping, 'a'),
          maskedFrame(opcodes.continuation, 'llo'),
          maskedFrame(opcodes.close, ''),
        ]),
      ),
      ['ping a', 'end 1000'],
    );
  });

  it('holds nothing of a message, however long it says it is', () => {
    const head = Buffer.from([0x82, 0xff, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 2, 3, 4]);
    assert.deepEqual(told(Buffer.concat([head, Buffer.alloc(1_000_000)]), 1000), []);
  });

  const broken: readonly (readonly [string, Uint8Array])[] = [
    ['a frame without a mask', Buffer.from([0x81, 0x01, 0x61])],
    ['a reserved bit', Buffer.concat([Buffer.from([0xc1]), maskedFrame(opcodes.text, 'a').subarray(1)])],
    ['an opcode that is none', maskedFrame(3, 'a')],
    ['a control frame in fragments', maskedFrame(opcodes.ping, 'a', { fin: false })],
    ['a control frame that is too long', maskedFrame(opcodes.ping, 'a'.repeat(126))],
  ];
  for (const [what, bytes] of broken)
    it(`ends with a protocol error at ${what}`, () =>
      assert.deepEqual(told(Buffer.concat([bytes, maskedFrame(opcodes.ping, 'a')])), ['end 1002']));
});
