/** Bytes of a slab: the part of an answer that is written to the socket at once. */
export const SLAB_BYTES = 128 * 1024;
/** Slabs kept for reuse. An answer has one, and the end of the one before on its connection may still hold another. */
const IDLE_MAX = 32;

// Process-wide: memory, whose content is void while it is idle.
const idle: Buffer[] = [];

/**
 * A piece of memory for bytes that live no longer than an answer. Allocated each time they would be hundreds of
 * megabytes a second of garbage under many lists, and the part of it that survives two collections of the young
 * generation stays until the next full one.
 */
export function takeSlab(): Buffer {
  return idle.pop() ?? Buffer.allocUnsafeSlow(SLAB_BYTES);
}

/**
 * For a slab that nothing reads any more, neither here nor a stream that it was given to. A slab that is not given back
 * is ordinary garbage.
 */
export function giveSlabBack(slab: Buffer): void {
  if (idle.length < IDLE_MAX) idle.push(slab);
}
