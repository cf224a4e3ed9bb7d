import { randomBytes } from 'node:crypto';
import type { CertificateRequest } from '../../api/certificates/certificate-request.ts';
import { derOidValue, derSequence, derSet, derString, derValue } from '../../api/certificates/der-encoding.ts';
import { certificateExtension, encodeCertificate } from '../../api/certificates/encode-certificate.ts';
import type { Issuer } from '../../api/certificates/issuer.ts';
import { attributeOids, extensionOids } from '../../api/certificates/object-identifiers.ts';
import { encodeUsages } from './key-usages.ts';
import type { Validity } from './validity.ts';

const SERIAL_BYTES = 16;

/** Tags of alternative names, in the order in which they are written: hosts, mail, addresses, URIs. */
const NAME_TAGS = [0x82, 0x81, 0x87, 0x86];

/**
 * Attributes of a subject that are taken over, in the order in which they are written: country, organization, unit,
 * place, province, street, postal code, name, serial number.
 */
const SUBJECT_ATTRIBUTES = [
  '2.5.4.6',
  attributeOids.organization,
  '2.5.4.11',
  '2.5.4.7',
  '2.5.4.8',
  '2.5.4.9',
  '2.5.4.17',
  attributeOids.commonName,
  attributeOids.serialNumber,
];
/** Of these the last one holds; others may be many. */
const SINGLE_ATTRIBUTES = new Set<string>([attributeOids.commonName, attributeOids.serialNumber]);

/**
 * A certificate (RFC 5280) for the key and the names of a request, and for these usages alone: whatever else the
 * request wants is left out. PEM. Throws for unknown usages.
 */
export function createCertificate(
  issuer: Issuer,
  request: CertificateRequest,
  usages: readonly string[],
  { notBeforeMs, notAfterMs }: Validity,
): string {
  const subject = subjectOf(request);
  return encodeCertificate(issuer, {
    serial: randomBytes(SERIAL_BYTES),
    subject,
    publicKey: request.signed.publicKey,
    notBeforeMs,
    notAfterMs,
    extensions: extensionsOf(issuer, request, usages, subject),
  });
}

/** Values of one attribute are one part of the name. */
function subjectOf({ subjectAttributes }: CertificateRequest): Buffer {
  const parts = SUBJECT_ATTRIBUTES.flatMap((type) => {
    const values = subjectAttributes.filter((attribute) => attribute.type === type).map(({ value }) => value);
    const kept = SINGLE_ATTRIBUTES.has(type) ? values.slice(-1).filter((value) => value !== '') : values;
    if (kept.length === 0) return [];
    return [derSet(kept.map((value) => derSequence(derOidValue(type), derString(value))))];
  });
  return derSequence(...parts);
}

function extensionsOf(
  issuer: Issuer,
  request: CertificateRequest,
  usages: readonly string[],
  subject: Buffer,
): readonly Buffer[] {
  const { keyUsage, purposes } = encodeUsages(usages);
  const names = NAME_TAGS.flatMap((tag) => request.alternativeNames.filter((name) => name.tag === tag));
  const isNameless = subject.equals(derSequence());
  return [
    ...(keyUsage === undefined ? [] : [certificateExtension(extensionOids.keyUsage, keyUsage, true)]),
    ...(purposes === undefined ? [] : [certificateExtension(extensionOids.extendedKeyUsage, purposes)]),
    // Not an authority: the default, which is left out.
    certificateExtension(extensionOids.basicConstraints, derSequence(), true),
    ...(issuer.keyId === undefined
      ? []
      : [certificateExtension(extensionOids.authorityKeyId, derSequence(derValue(0x80, issuer.keyId)))]),
    ...(names.length === 0
      ? []
      : [
          certificateExtension(
            extensionOids.subjectAlternativeName,
            derSequence(...names.map(({ whole }) => whole)),
            isNameless,
          ),
        ]),
  ];
}
