import { X509Certificate } from 'node:crypto';
import { certificateBlocks } from '../../apimachinery/certificate-blocks.ts';

/** Certificates of authorities that sign certificates of clients. A new object means that they changed. */
export interface Authorities {
  readonly certificates: readonly X509Certificate[];
}

const BEGIN = /-----BEGIN CERTIFICATE-----/g;

/**
 * Parses a PEM bundle. Throws an Error that says what is wrong, also for a truncated one: the file may still be being
 * written.
 */
export function readAuthorities(pem: string): Authorities {
  const blocks = certificateBlocks(pem);
  if (blocks.length !== (pem.match(BEGIN) ?? []).length) throw new Error('holds a PEM certificate that breaks off');
  const certificates = blocks.map((block) => {
    try {
      return new X509Certificate(block);
    } catch {
      throw new Error('holds a PEM certificate that cannot be read');
    }
  });
  if (certificates.length === 0) throw new Error('holds no PEM certificate');
  return { certificates };
}
