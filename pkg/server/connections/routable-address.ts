/**
 * Whether a client may name an address as a target: not this machine, its link, or a multicast address, since the
 * server stands where its clients do not. `bytes` as `parseIp` returns them.
 */
export function isRoutable(bytes: Uint8Array): boolean {
  const first = bytes[0]!;
  if (bytes.length === 4) {
    const isMulticast = first >= 224 && first < 240;
    return (
      first !== 0 &&
      first !== 127 &&
      !(first === 169 && bytes[1] === 254) &&
      !isMulticast &&
      !bytes.every((byte) => byte === 255)
    );
  }
  // `::`, `::1`, and the old forms of IPv4 addresses in the same range.
  const isSmall = bytes.subarray(0, 12).every((byte) => byte === 0);
  return !isSmall && first !== 0xff && !(first === 0xfe && (bytes[1]! & 0xc0) === 0x80);
}
