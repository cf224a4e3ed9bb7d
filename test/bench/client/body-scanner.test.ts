import assert from 'node:assert/strict';
import { ChunkedBody, SizedBody } from './body-scanner.ts';

describe('body scanner', () => {
  const wire = Buffer.from('4\r\nab\n}\r\nA\r\n0123456789\r\n0\r\n\r\n');

  for (const size of [1, 2, 3, 5, wire.length]) {
    it(`follows chunks that arrive in pieces of ${size}`, () => {
      const body = new ChunkedBody();
      let kept = '';
      let done = false;
      for (let at = 0; at < wire.length; at += size) {
        assert.equal(done, false, 'ended early');
        const piece = wire.subarray(at, at + size);
        done = body.scan(piece, 0, piece.length, (span) => (kept += span.toString()));
      }
      assert.equal(done, true);
      assert.equal(kept, 'ab\n}0123456789');
      assert.equal(body.bytes, 14);
    });
  }

  it('refuses what is no chunk', () => {
    assert.throws(() => new ChunkedBody().scan(Buffer.from('xyz\r\n'), 0, 5), /not a chunk size/);
  });

  it('counts to a known length', () => {
    const body = new SizedBody(5);
    assert.equal(body.scan(Buffer.from('..abc'), 2, 5), false);
    assert.equal(body.scan(Buffer.from('de'), 0, 2), true);
    assert.equal(body.bytes, 5);
  });
});
