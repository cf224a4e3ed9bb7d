/**
 * Whether an address may be reached for a client that names it: not this machine, its link, or many at once, since the server stands where its
 * clients do not. `bytes` as `parseIp` gives them.
 */
export function isRoutable(bytes: Uint8Array): boolean {
  if (bytes.length === 4) return bytes[0] !== 0 && bytes[0] !== 127 && !(bytes[0] === 169 && bytes[1] === 254) && bytes[0]! < 224;
  // `::`, `::1`, and the old forms of IPv4 addresses in the same range.
  const isSmall = bytes.subarray(0, 12).every((byte) => byte === 0);
  return !isSmall && bytes[0] !== 0xff && !(bytes[0] === 0xfe && (bytes[1]! & 0xc0) === 0x80);
}
