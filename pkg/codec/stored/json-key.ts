/** `,"name":` as words of eight bytes. */
export interface JsonKey {
  readonly words: Float64Array;
  /** In bytes. */
  readonly length: number;
}

export const WORD_BYTES = 8;

/** `name` is ASCII: numbers whose bytes all are keep their bits, as those that stand for no number might not. */
export function jsonKey(name: string): JsonKey {
  const text = Buffer.from(`,${JSON.stringify(name)}:`);
  if (text.some((byte) => byte >= 0x7f)) throw new Error(`${name} is not ASCII`);
  const padded = new DataView(new ArrayBuffer(Math.ceil(text.length / WORD_BYTES) * WORD_BYTES));
  for (const [i, byte] of text.entries()) padded.setUint8(i, byte);
  const words = Float64Array.from({ length: padded.byteLength / WORD_BYTES }, (_, i) =>
    padded.getFloat64(i * WORD_BYTES, true),
  );
  return { words, length: text.length };
}
