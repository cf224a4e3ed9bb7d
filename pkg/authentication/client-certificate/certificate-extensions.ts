import { extensionOids } from '../../api/certificates/object-identifiers.ts';
import { derContent, derInside, derObjectIdentifier, derTag, derValues, type DerValue } from './der.ts';

/** The extensions of a certificate that decide about chains with it (RFC 5280, 4.2). */
export interface CertificateExtensions {
  readonly isAuthority: boolean;
  /** Limit of further authorities below it; undefined: any number. */
  readonly pathLengthMax: number | undefined;
  /** False where the certificate has a key usage without signing certificates. */
  readonly maySignCertificates: boolean;
  /** Object identifiers; undefined: for everything. */
  readonly extendedKeyUsages: readonly string[] | undefined;
  /** Limits the names that certificates below it may have. */
  readonly constrainsNames: boolean;
  /** Critical extensions that are unknown. */
  readonly unknownCritical: readonly string[];
}

const EXTENSIONS_TAG = 0xa3;
/** Bit 5 of the first octet of a key usage, counted from the highest. */
const KEY_CERT_SIGN = 0x04;
const understood: ReadonlySet<string> = new Set([
  extensionOids.keyUsage,
  extensionOids.subjectAlternativeName,
  extensionOids.basicConstraints,
  extensionOids.nameConstraints,
  extensionOids.certificatePolicies,
  extensionOids.extendedKeyUsage,
]);

/** Parses a certificate's DER form. Throws `DerError`. */
export function readExtensions(certificate: Buffer): CertificateExtensions {
  const [outer] = derValues(certificate);
  const [signed] = derInside(outer, derTag.sequence);
  const wrapper = derInside(signed, derTag.sequence).find((value) => value.tag === EXTENSIONS_TAG);
  const extensions =
    wrapper === undefined ? [] : derInside(derValues(wrapper.content)[0], derTag.sequence).map(readExtension);
  const valueOf = (id: string): Buffer | undefined => extensions.find((extension) => extension.id === id)?.value;
  const constraints = valueOf(extensionOids.basicConstraints);
  const keyUsage = valueOf(extensionOids.keyUsage);
  const usages = valueOf(extensionOids.extendedKeyUsage);
  return {
    ...readBasicConstraints(constraints),
    maySignCertificates: keyUsage === undefined || signsCertificates(keyUsage),
    extendedKeyUsages:
      usages === undefined ? undefined : derInside(derValues(usages)[0], derTag.sequence).map(derObjectIdentifier),
    constrainsNames: valueOf(extensionOids.nameConstraints) !== undefined,
    unknownCritical: extensions.filter(({ id, critical }) => critical && !understood.has(id)).map(({ id }) => id),
  };
}

function readExtension(value: DerValue): { readonly id: string; readonly critical: boolean; readonly value: Buffer } {
  const parts = derInside(value, derTag.sequence);
  const critical = parts[1]?.tag === derTag.boolean && parts[1].content[0] !== 0;
  return { id: derObjectIdentifier(parts[0]), critical, value: derContent(parts.at(-1), derTag.octetString) };
}

function signsCertificates(keyUsage: Buffer): boolean {
  // The first octet counts the unused bits at the end.
  const [, usages = 0] = derContent(derValues(keyUsage)[0], derTag.bitString);
  return (usages & KEY_CERT_SIGN) !== 0;
}

function readBasicConstraints(bytes: Buffer | undefined): Pick<CertificateExtensions, 'isAuthority' | 'pathLengthMax'> {
  if (bytes === undefined) return { isAuthority: false, pathLengthMax: undefined };
  const parts = derInside(derValues(bytes)[0], derTag.sequence);
  const length = parts.find((part) => part.tag === derTag.integer)?.content;
  return {
    isAuthority: parts[0]?.tag === derTag.boolean && parts[0].content[0] !== 0,
    pathLengthMax: length === undefined ? undefined : Number(BigInt(`0x${length.toString('hex') || '0'}`)),
  };
}
