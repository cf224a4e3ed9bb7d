const mask = Buffer.from([0x12, 0x34, 0x56, 0x78]);

/** A frame as a client sends it. */
export function maskedFrame(opcode: number, payload: string, { fin = true } = {}): Buffer {
  const bytes = Buffer.from(payload, 'latin1');
  const length = Buffer.alloc(bytes.length < 126 ? 1 : bytes.length < 65_536 ? 3 : 9);
  if (length.length === 1) length[0] = bytes.length;
  else if (length.length === 3) {
    length[0] = 126;
    length.writeUInt16BE(bytes.length, 1);
  } else {
    length[0] = 127;
    length.writeBigUInt64BE(BigInt(bytes.length), 1);
  }
  length[0]! |= 0x80;
  return Buffer.concat([
    Buffer.from([(fin ? 0x80 : 0) | opcode]),
    length,
    mask,
    bytes.map((byte, i) => byte ^ mask[i % 4]!),
  ]);
}
