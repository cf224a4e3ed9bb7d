import type { X509Certificate } from 'node:crypto';
import { InvalidCredentials } from '../authenticator.ts';
import { BoundedCache } from '../../apimachinery/collections/bounded-cache.ts';
import { steadyMs } from '../../apimachinery/steady-clock.ts';
import type { Authorities } from './authorities.ts';
import { findChain } from './chain.ts';

/** The user of a certificate that one of the authorities signed for clients. */
export interface VerifiedCertificate {
  /** Empty where the certificate has none. */
  readonly commonName: string;
  readonly organizations: readonly string[];
  /** SHA-256 of the certificate, as lowercase hexadecimal. */
  readonly fingerprint: string;
  /** When the certificate itself expires, milliseconds since 1970. */
  readonly notAfterMs: number;
}

interface Known {
  readonly authorities: Authorities;
  readonly subject: VerifiedCertificate;
  /** The validity of the whole chain, milliseconds since 1970. */
  readonly notBeforeMs: number;
  readonly notAfterMs: number;
}

interface Refused {
  readonly authorities: Authorities;
  readonly problem: string;
  /** When it was verified, by the monotonic clock. */
  readonly atMs: number;
}

/** Clients whose certificates were verified; the result is used again until something changes. */
const KNOWN_MAX = 10_000;
/** How long a refused certificate is refused again on its connection without a check. */
const REFUSED_MS = 10_000;

/**
 * Verifies client certificates against authorities that may change. The result for a certificate is cached by its
 * fingerprint until its chain expires or the authorities change; a resumed connection, which sends no intermediate
 * certificates again, depends on that as well.
 */
export function certificateVerifier(
  authorities: () => Authorities,
  nowMs: () => number,
): (certificate: X509Certificate) => VerifiedCertificate {
  const known = new BoundedCache<Known>(KNOWN_MAX);
  const refused = new WeakMap<X509Certificate, Refused>();
  return (certificate) => {
    const now = nowMs();
    const current = authorities();
    const before = known.get(certificate.fingerprint256);
    if (before !== undefined && before.authorities === current && now >= before.notBeforeMs && now <= before.notAfterMs)
      return before.subject;
    const refusal = refused.get(certificate);
    if (refusal !== undefined && refusal.authorities === current && steadyMs() - refusal.atMs < REFUSED_MS)
      throw new InvalidCredentials(refusal.problem);
    const found = findChain(certificate, current.certificates, now);
    if ('problem' in found) {
      const problem = `certificate ${certificate.serialNumber}: ${found.problem}`;
      refused.set(certificate, { authorities: current, problem, atMs: steadyMs() });
      throw new InvalidCredentials(problem);
    }
    const subject = {
      ...certificateSubject(certificate),
      fingerprint: certificate.fingerprint256.replaceAll(':', '').toLowerCase(),
      notAfterMs: Date.parse(certificate.validTo),
    };
    known.set(certificate.fingerprint256, {
      authorities: current,
      subject,
      notBeforeMs: found.notBeforeMs,
      notAfterMs: found.notAfterMs,
    });
    return subject;
  };
}

/**
 * Common name and organizations of a certificate's subject. Read as values: the subject as one text could be forged to
 * contain others. Of several common names the last counts, as in stock servers.
 */
function certificateSubject(certificate: X509Certificate): Pick<VerifiedCertificate, 'commonName' | 'organizations'> {
  const subject = certificate.toLegacyObject().subject as Readonly<
    Record<string, string | readonly string[] | undefined>
  >;
  return { commonName: valuesOf(subject.CN).at(-1) ?? '', organizations: valuesOf(subject.O) };
}

function valuesOf(value: string | readonly string[] | undefined): readonly string[] {
  if (value === undefined) return [];
  return typeof value === 'string' ? [value] : value;
}
