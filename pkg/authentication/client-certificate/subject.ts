import type { X509Certificate } from 'node:crypto';
import type { VerifiedCertificate } from './certificate-verifier.ts';

/**
 * Common name and organizations of a certificate's subject. Read as values: the subject as one text could be made to
 * look as if it had others. Of several common names the last counts, as in stock servers.
 */
export function certificateSubject(
  certificate: X509Certificate,
): Pick<VerifiedCertificate, 'commonName' | 'organizations'> {
  const subject = certificate.toLegacyObject().subject as Readonly<
    Record<string, string | readonly string[] | undefined>
  >;
  return { commonName: valuesOf(subject.CN).at(-1) ?? '', organizations: valuesOf(subject.O) };
}

function valuesOf(value: string | readonly string[] | undefined): readonly string[] {
  if (value === undefined) return [];
  return typeof value === 'string' ? [value] : value;
}
