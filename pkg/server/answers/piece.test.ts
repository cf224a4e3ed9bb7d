import assert from 'node:assert/strict';
import { joinPieces, pieceBytes, type Piece } from './piece.ts';

describe('pieces of an answer', () => {
  const pieces: readonly Piece[] = ['', 'a', Buffer.from([0xff, 0]), 'ü\u{1F600}', new Uint8Array(0)];

  it('have the length of their UTF-8', () => assert.deepEqual(pieces.map(pieceBytes), [0, 1, 2, 6, 0]));
  it('are joined in order', () => assert.equal(joinPieces(pieces, 9).toString('hex'), '61ff00c3bcf09f9880'));
});
