/** A part of an answer. A text is sent as its UTF-8: it is encoded where it is sent, without a separate buffer. */
export type Piece = string | Uint8Array;

export function pieceBytes(piece: Piece): number {
  return typeof piece === 'string' ? Buffer.byteLength(piece) : piece.length;
}

/** All pieces as one buffer; `bytes` is their length. */
export function joinPieces(pieces: readonly Piece[], bytes: number): Buffer {
  return Buffer.concat(
    pieces.map((piece) => (typeof piece === 'string' ? Buffer.from(piece) : piece)),
    bytes,
  );
}
