import type { X509Certificate } from 'node:crypto';
import { readExtensions, type CertificateExtensions } from './certificate-extensions.ts';
import { readNames } from './certificate-names.ts';
import { DerError } from './der.ts';
import { isSafelySigned } from './signature-algorithm.ts';

/** The validity of a chain as a whole, milliseconds since 1970; or why there is none. */
export type ChainResult = { readonly notBeforeMs: number; readonly notAfterMs: number } | { readonly problem: string };

const CLIENT_AUTH = '1.3.6.1.5.5.7.3.2';
const ANY_USAGE = '2.5.29.37.0';
/** Limit of certificates in a chain, and of certificates of a client that are read. */
const CHAIN_LENGTH_MAX = 10;
/**
 * Signatures that are checked for one certificate: certificates that sign each other in circles would otherwise cost
 * millions.
 */
const SIGNATURES_MAX = 50;

/**
 * Finds a chain (RFC 5280, 6.1) from a client's certificate over the ones it sent to one of the authorities: checks
 * signatures and their algorithms, times, authority flags, path lengths, and the usage for clients in every certificate
 * that names usages. A certificate that is itself among the authorities is a chain. Chains with constraints on names or
 * with unknown critical extensions are refused.
 */
export function findChain(
  certificate: X509Certificate,
  authorities: readonly X509Certificate[],
  nowMs: number,
): ChainResult {
  const problems: string[] = [];
  const sent = sentWith(certificate);
  let signaturesLeft = SIGNATURES_MAX;
  const signed = (issuer: X509Certificate, last: X509Certificate): boolean =>
    signaturesLeft > 0 && isNamedIssuer(issuer, last) && signaturesLeft-- > 0 && isSignedBy(issuer, last);
  const search = (chain: readonly X509Certificate[]): ChainResult | undefined => {
    const last = chain.at(-1)!;
    const root = authorities.find((authority) => authority.raw.equals(last.raw));
    if (root !== undefined) return checked(chain, nowMs, problems);
    for (const authority of authorities.filter((a) => signed(a, last))) {
      const found = checked([...chain, authority], nowMs, problems);
      if (found !== undefined) return found;
    }
    if (chain.length >= CHAIN_LENGTH_MAX - 1) return undefined;
    for (const next of sent.filter((s) => !chain.includes(s) && signed(s, last))) {
      const found = search([...chain, next]);
      if (found !== undefined) return found;
    }
    return undefined;
  };
  return search([certificate]) ?? { problem: problems[0] ?? 'no authority signed it' };
}

/** The certificates that came with it, in their order. */
function sentWith(certificate: X509Certificate): readonly X509Certificate[] {
  const sent: X509Certificate[] = [];
  for (
    let next = certificate.issuerCertificate;
    next !== undefined && sent.length < CHAIN_LENGTH_MAX && !sent.includes(next);
    next = next.issuerCertificate
  )
    sent.push(next);
  return sent;
}

/**
 * By names and key usage. Key identifiers and serial numbers of authorities are not compared: an authority that is
 * renewed with its key and name may get others, and what it signed before stays valid.
 */
function isNamedIssuer(issuer: X509Certificate, certificate: X509Certificate): boolean {
  try {
    return (
      readNames(certificate.raw).issuer.equals(readNames(issuer.raw).subject) &&
      readExtensions(issuer.raw).maySignCertificates
    );
  } catch (error) {
    if (error instanceof DerError) return false;
    throw error;
  }
}

function isSignedBy(issuer: X509Certificate, certificate: X509Certificate): boolean {
  try {
    return certificate.verify(issuer.publicKey);
  } catch {
    // A key or an algorithm that this runtime does not support.
    return false;
  }
}

/** The chain's validity; otherwise adds why it is invalid. */
function checked(chain: readonly X509Certificate[], nowMs: number, problems: string[]): ChainResult | undefined {
  const times = {
    notBeforeMs: Math.max(...chain.map((c) => Date.parse(c.validFrom))),
    notAfterMs: Math.min(...chain.map((c) => Date.parse(c.validTo))),
  };
  const problem =
    timeProblem(times, nowMs) ??
    chain.map((c, position) => contentProblem(c, position, chain.length)).find((p) => p !== undefined);
  if (problem === undefined) return times;
  problems.push(problem);
  return undefined;
}

function timeProblem(
  { notBeforeMs, notAfterMs }: { readonly notBeforeMs: number; readonly notAfterMs: number },
  nowMs: number,
): string | undefined {
  if (!(nowMs >= notBeforeMs)) return 'it or an authority of it is not valid yet';
  return nowMs <= notAfterMs ? undefined : 'it or an authority of it has expired';
}

/** `position` in the chain: 0 for the client's certificate, above for authorities. */
function contentProblem({ raw }: X509Certificate, position: number, length: number): string | undefined {
  try {
    // The last one is trusted, with any signature.
    if (position < length - 1 && !isSafelySigned(raw)) return 'a signature in its chain could be forged';
    return extensionProblem(readExtensions(raw), position);
  } catch (error) {
    if (error instanceof DerError) return 'its content cannot be read';
    throw error;
  }
}

function extensionProblem(extensions: CertificateExtensions, position: number): string | undefined {
  const { extendedKeyUsages, isAuthority, pathLengthMax, unknownCritical, constrainsNames } = extensions;
  if (unknownCritical.length > 0) return `it has an unknown critical extension ${unknownCritical[0]}`;
  if (
    extendedKeyUsages !== undefined &&
    !extendedKeyUsages.some((usage) => usage === CLIENT_AUTH || usage === ANY_USAGE)
  )
    return 'it is not for clients';
  if (position === 0) return undefined;
  if (!isAuthority) return 'a certificate of its chain is no authority';
  if (constrainsNames) return 'an authority of its chain constrains names';
  return pathLengthMax !== undefined && position - 1 > pathLengthMax
    ? 'an authority of its chain may not sign authorities'
    : undefined;
}
