import { derContent, derInside, derTag, derValues } from './der.ts';

/**
 * The distinguished names of a certificate in their DER form (RFC 5280, 4.1.2.4): equal octets mean the same name, as
 * for stock servers.
 */
export interface CertificateNames {
  readonly issuer: Buffer;
  readonly subject: Buffer;
}

const VERSION_TAG = 0xa0;

/** Parses a certificate's DER form. Throws `DerError`. */
export function readNames(certificate: Buffer): CertificateNames {
  const [outer] = derValues(certificate);
  const [signed] = derInside(outer, derTag.sequence);
  const [, , issuer, , subject] = derInside(signed, derTag.sequence).filter(({ tag }) => tag !== VERSION_TAG);
  return { issuer: derContent(issuer, derTag.sequence), subject: derContent(subject, derTag.sequence) };
}
