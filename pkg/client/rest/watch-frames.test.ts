import assert from 'node:assert/strict';
import { LengthSplitter, LineSplitter, type FrameSplitter } from './watch-frames.ts';

const FRAMES = ['{"a":1}', '{"b":"ä"}', `{"c":"${'x'.repeat(50)}"}`];

const cases: [name: string, make: (bytesMax: number) => FrameSplitter, join: (frames: string[]) => Buffer][] = [
  ['LineSplitter', (max) => new LineSplitter(max), (frames) => Buffer.from(frames.map((f) => `${f}\n`).join(''))],
  [
    'LengthSplitter',
    (max) => new LengthSplitter(max),
    (frames) =>
      Buffer.concat(
        frames.map((f) => {
          const length = Buffer.alloc(4);
          length.writeUInt32BE(Buffer.byteLength(f));
          return Buffer.concat([length, Buffer.from(f)]);
        }),
      ),
  ],
];

for (const [name, make, join] of cases) {
  describe(name, () => {
    const stream = join(FRAMES);

    it('gives the same frames whatever the chunks', () => {
      for (let size = 1; size <= stream.length; size++) {
        const splitter = make(1000);
        const found: string[] = [];
        for (let i = 0; i < stream.length; i += size) {
          for (const frame of splitter.push(stream.subarray(i, i + size))) found.push(frame.toString());
        }
        assert.deepEqual(found, FRAMES, `chunks of ${size}`);
        assert.equal(splitter.isWithinFrame, false);
      }
    });

    it('knows that a frame is not complete', () => {
      const splitter = make(1000);
      splitter.push(stream.subarray(0, stream.length - 2));
      assert.equal(splitter.isWithinFrame, true);
    });

    it('refuses a frame beyond the bound before it is held', () => {
      assert.throws(() => {
        const splitter = make(40);
        for (let i = 0; i < stream.length; i += 7) splitter.push(stream.subarray(i, i + 7));
      }, /larger than 40 bytes/);
    });
  });
}
