import tls, { type PeerCertificate } from 'node:tls';

/**
 * Certificates that webhooks showed and that clients of stock servers refuse, since this process began; metrics read
 * it.
 *
 * Process-wide: counts of the process, as its CPU time is; all of its servers show the same.
 */
export const deprecatedCertificates = { missingSan: 0, insecureSha1: 0 };

/** A certificate names its host in no other way than the oldest: the runtime would take that. */
export class LegacyNameError extends Error {}

/** For `checkServerIdentity`: what is wrong with the names of a certificate. */
export function serverIdentityProblem(host: string, certificate: PeerCertificate): Error | undefined {
  const problem = tls.checkServerIdentity(host, certificate);
  if (certificate.subjectaltname !== undefined) return problem;
  deprecatedCertificates.missingSan++;
  return problem ?? new LegacyNameError('the certificate has no names but its common name');
}

/**
 * Whether a connection failed because of a signature that is not safe any more; counts it. The runtime has no code for
 * it.
 *
 * Process-wide: counts of the process, as its CPU time is; all of its servers show the same.
 */
export function failedBySignature(error: unknown): boolean {
  const failed = (error as Error).message === 'CA signature digest algorithm too weak';
  if (failed) deprecatedCertificates.insecureSha1++;
  return failed;
}
