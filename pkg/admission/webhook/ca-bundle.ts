import { X509Certificate } from 'node:crypto';
import { pemBlocks } from '../../api/certificates/pem.ts';

/**
 * The certificates of a webhook's authorities, PEM, from its bundle in base64. Other content of the bundle is skipped:
 * the runtime would read no further. Throws Error where it contains no certificate.
 */
export function caBundleText(base64: string): string {
  let isPem = false;
  let certificates = '';
  for (const { type, headers, bytes } of pemBlocks(Buffer.from(base64, 'base64').toString())) {
    isPem = true;
    if (type === 'CERTIFICATE' && headers === 0) certificates += certificatePem(bytes);
  }
  if (certificates !== '') return certificates;
  throw new Error(
    `unable to load root certificates: ${isPem ? 'no valid certificate authority data seen' : 'unable to parse bytes as PEM block'}`,
  );
}

/** Empty for an invalid certificate. */
function certificatePem(der: Uint8Array): string {
  try {
    return new X509Certificate(der).toString();
  } catch {
    // Not a certificate: the caller reports a bundle without one.
    return '';
  }
}
