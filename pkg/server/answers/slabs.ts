/** Bytes of a slab: as much of an answer as is put on the socket in one write. */
export const SLAB_BYTES = 128 * 1024;
/** Slabs kept for later. An answer has one, and the end of the one before on its connection may still hold another. */
const IDLE_MAX = 32;

// Process-wide: memory, whose content is void while it is idle.
const idle: Buffer[] = [];

/**
 * A piece of memory for bytes that live no longer than an answer. Allocated again each time they would be hundreds of
 * megabytes a second of garbage while much is listed, and what of it outlives two collections of the young generation
 * stays until the next full one.
 */
export function takeSlab(): Buffer {
  return idle.pop() ?? Buffer.allocUnsafeSlow(SLAB_BYTES);
}

/**
 * For a slab that nothing reads any more, neither here nor a stream that it was given to. One that is never given back
 * is garbage like any other.
 */
export function giveSlabBack(slab: Buffer): void {
  if (idle.length < IDLE_MAX) idle.push(slab);
}
