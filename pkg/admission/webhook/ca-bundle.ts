import { X509Certificate } from 'node:crypto';
import { pemBlocks } from '../../api/certificates/pem.ts';

/** The PEM text of a webhook's authorities, given in base64. Throws Error where no certificate can be read in it. */
export function caBundleText(base64: string): string {
  const text = Buffer.from(base64, 'base64').toString();
  let isPem = false;
  for (const { type, headers, bytes } of pemBlocks(text)) {
    isPem = true;
    if (type === 'CERTIFICATE' && headers === 0 && isCertificate(bytes)) return text;
  }
  throw new Error(`unable to load root certificates: ${isPem ? 'no valid certificate authority data seen' : 'unable to parse bytes as PEM block'}`);
}

function isCertificate(der: Uint8Array): boolean {
  try {
    new X509Certificate(der);
    return true;
  } catch {
    return false;
  }
}
