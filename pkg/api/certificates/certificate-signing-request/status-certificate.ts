import { X509Certificate } from 'node:crypto';
import { goQuote } from '../../../apimachinery/values/go-format.ts';
import { pemBlocks } from '../pem.ts';

/** The error of a certificate in a status, base64 of PEM: it may be empty, or a chain of nothing but certificates. */
export function statusCertificateProblem(base64: string | undefined): string | undefined {
  if (!base64) return undefined;
  let found = false;
  for (const block of pemBlocks(Buffer.from(base64, 'base64').toString('latin1'))) {
    if (block.type !== 'CERTIFICATE') return `only CERTIFICATE PEM blocks are allowed, found ${goQuote(block.type)}`;
    if (block.headers > 0) return 'no PEM block headers are permitted';
    found = true;
    if (block.bytes.length === 0) return 'found CERTIFICATE PEM block containing 0 certificates';
    try {
      new X509Certificate(block.bytes);
    } catch {
      // OpenSSL's own message would tell a client no more.
      return 'x509: malformed certificate';
    }
  }
  return found ? undefined : 'must contain at least one CERTIFICATE PEM block';
}
