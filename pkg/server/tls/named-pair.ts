import type { KeyPairFiles } from './key-pair-files.ts';

/** A pair for clients that ask for certain names. */
export interface NamedPair extends KeyPairFiles {
  /** Domain names or wildcards; none: the names that the certificate has. */
  readonly patterns: readonly string[];
}

/** Reads an item of `--tls-sni-cert-key`: `certificate,key`, then perhaps `:pattern,...`. Its form has been checked. */
export function parseNamedPair(item: string): NamedPair {
  const colon = item.indexOf(':');
  const [files, patterns] = colon < 0 ? [item, ''] : [item.slice(0, colon), item.slice(colon + 1)];
  const [certFile = '', keyFile = ''] = files.split(',').map((file) => file.trim());
  return {
    certFile,
    keyFile,
    patterns: patterns
      .split(',')
      .map((pattern) => pattern.trim())
      .filter((pattern) => pattern !== ''),
  };
}
