const BLOCK = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/**
 * The certificates of a PEM text, each with its lines of dashes, in their order; one that breaks off is none. What they
 * hold is not looked at.
 */
export function certificateBlocks(pem: string): readonly string[] {
  return pem.match(BLOCK) ?? [];
}
