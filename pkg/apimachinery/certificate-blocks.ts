const BLOCK = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/**
 * The certificates of a PEM text, each with its BEGIN and END lines, in their order; a truncated one is skipped. Their
 * content is not checked.
 */
export function certificateBlocks(pem: string): readonly string[] {
  return pem.match(BLOCK) ?? [];
}
