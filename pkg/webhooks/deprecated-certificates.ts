import tls, { type PeerCertificate } from 'node:tls';

/** A certificate names its host only in the common name: the runtime would accept that. */
export class LegacyNameError extends Error {}

/** Counts certificates that webhooks show to one server and that clients of stock servers refuse; for metrics. */
export class DeprecatedCertificates {
  missingSan = 0;
  insecureSha1 = 0;

  /** For `checkServerIdentity`: what is wrong with the names of a certificate. */
  identityProblem(host: string, certificate: PeerCertificate): Error | undefined {
    const problem = tls.checkServerIdentity(host, certificate);
    if (certificate.subjectaltname !== undefined) return problem;
    this.missingSan++;
    return problem ?? new LegacyNameError('the certificate has no names but its common name');
  }

  /** A connection failed. */
  countFailure(error: unknown): void {
    if (failedBySignature(error)) this.insecureSha1++;
  }
}

/** Whether a connection failed because of a signature that is not safe any more. The runtime has no code for it. */
export function failedBySignature(error: unknown): boolean {
  return (error as Error).message === 'CA signature digest algorithm too weak';
}
