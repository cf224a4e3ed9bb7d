import { constants, createPublicKey, verify } from 'node:crypto';
import { derItems, derOid, derTags, derText, type DerValue, expectTag, readDer } from './der.ts';
import { attributeOids, extensionOids } from './object-identifiers.ts';
import { pemBlocks } from './pem.ts';

/** The content of a PKCS#10 request (RFC 2986). */
export interface CertificateRequest {
  readonly commonName: string;
  /** All of the subject, in their order. */
  readonly subjectAttributes: readonly SubjectAttribute[];
  readonly organizations: readonly string[];
  readonly dnsNames: readonly string[];
  readonly emails: readonly string[];
  readonly uris: readonly string[];
  /** How many IP addresses it names. */
  readonly ipCount: number;
  /** All of them (GeneralName, RFC 5280), in their order. */
  readonly alternativeNames: readonly DerValue[];
  readonly signed: SignedPart;
}

export interface SubjectAttribute {
  /** Object identifier. */
  readonly type: string;
  readonly value: string;
}

interface SignedPart {
  readonly bytes: Buffer;
  /** SubjectPublicKeyInfo in DER. */
  readonly publicKey: Buffer;
  readonly algorithm: DerValue;
  readonly signature: Buffer;
}

const EXTENSION_REQUEST = '1.2.840.113549.1.9.14';
const ATTRIBUTES_TAG = 0xa0;
const RSA_PSS = '1.2.840.113549.1.1.10';

/** Hash names as node:crypto knows them; null where the algorithm brings its own. */
const SIGNATURE_HASHES: Readonly<Record<string, string | null>> = {
  '1.2.840.113549.1.1.11': 'sha256',
  '1.2.840.113549.1.1.12': 'sha384',
  '1.2.840.113549.1.1.13': 'sha512',
  '1.2.840.10045.4.3.2': 'sha256',
  '1.2.840.10045.4.3.3': 'sha384',
  '1.2.840.10045.4.3.4': 'sha512',
  '1.3.101.112': null,
};
const HASHES: Readonly<Record<string, string>> = {
  '2.16.840.1.101.3.4.2.1': 'sha256',
  '2.16.840.1.101.3.4.2.2': 'sha384',
  '2.16.840.1.101.3.4.2.3': 'sha512',
};

/** Parses the first block of a PEM text. Throws Error with a message for the client. Does not check the signature. */
export function parseCertificateRequest(pem: string): CertificateRequest {
  const { value: block } = pemBlocks(pem).next();
  if (block === undefined || block.type !== 'CERTIFICATE REQUEST')
    throw new Error('PEM block type must be CERTIFICATE REQUEST');
  const [info, algorithm, signature] = derItems(expectTag(readDer(block.bytes), derTags.sequence));
  const [, subject, publicKey, attributes] = derItems(expectTag(info, derTags.sequence));
  return {
    ...readSubject(expectTag(subject, derTags.sequence)),
    ...readAlternativeNames(attributes),
    signed: {
      bytes: expectTag(info, derTags.sequence).whole,
      publicKey: expectTag(publicKey, derTags.sequence).whole,
      algorithm: expectTag(algorithm, derTags.sequence),
      // The first byte of a bit string counts unused bits.
      signature: expectTag(signature, derTags.bitString).content.subarray(1),
    },
  };
}

/** Throws Error when the request was not signed with the key that it is for. */
export function checkRequestSignature({ signed }: CertificateRequest): void {
  const [algorithm, parameters] = derItems(signed.algorithm);
  const oid = derOid(algorithm);
  const key = createPublicKey({ key: signed.publicKey, format: 'der', type: 'spki' });
  const hash = oid === RSA_PSS ? pssHash(parameters) : SIGNATURE_HASHES[oid];
  if (hash === undefined) throw new Error('x509: cannot verify signature: algorithm unimplemented');
  const input =
    oid === RSA_PSS
      ? { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_AUTO }
      : key;
  if (!verify(hash, signed.bytes, input, signed.signature))
    throw new Error(`x509: ${key.asymmetricKeyType} verification failure`);
}

function pssHash(parameters: DerValue | undefined): string | undefined {
  const hash = parameters === undefined ? undefined : derItems(parameters).find((item) => item.tag === ATTRIBUTES_TAG);
  return hash === undefined ? undefined : HASHES[derOid(derItems(readDer(hash.content))[0])];
}

function readSubject(
  subject: DerValue,
): Pick<CertificateRequest, 'commonName' | 'organizations' | 'subjectAttributes'> {
  const subjectAttributes: SubjectAttribute[] = [];
  let commonName = '';
  const organizations: string[] = [];
  for (const set of derItems(subject)) {
    for (const attribute of derItems(expectTag(set, derTags.set))) {
      const [type, value] = derItems(expectTag(attribute, derTags.sequence));
      const attributeRead = { type: derOid(type), value: derText(value) };
      subjectAttributes.push(attributeRead);
      if (attributeRead.type === attributeOids.commonName) commonName = attributeRead.value;
      else if (attributeRead.type === attributeOids.organization) organizations.push(attributeRead.value);
    }
  }
  return { commonName, organizations, subjectAttributes };
}

function readAlternativeNames(
  attributes: DerValue | undefined,
): Pick<CertificateRequest, 'dnsNames' | 'emails' | 'uris' | 'ipCount' | 'alternativeNames'> {
  const names = {
    dnsNames: [] as string[],
    emails: [] as string[],
    uris: [] as string[],
    ipCount: 0,
    alternativeNames: alternativeNames(attributes),
  };
  for (const name of names.alternativeNames) {
    switch (name.tag & 0x1f) {
      case 1:
        names.emails.push(derText(name));
        break;
      case 2:
        names.dnsNames.push(derText(name));
        break;
      case 6:
        names.uris.push(derText(name));
        break;
      case 7:
        names.ipCount++;
        break;
      default:
    }
  }
  return names;
}

function alternativeNames(attributes: DerValue | undefined): DerValue[] {
  if (attributes === undefined || attributes.tag !== ATTRIBUTES_TAG) return [];
  for (const attribute of derItems(attributes)) {
    const [type, values] = derItems(expectTag(attribute, derTags.sequence));
    if (derOid(type) !== EXTENSION_REQUEST) continue;
    for (const extension of derItems(expectTag(derItems(expectTag(values, derTags.set))[0], derTags.sequence))) {
      const parts = derItems(extension);
      if (derOid(parts[0]) === extensionOids.subjectAlternativeName)
        return derItems(readDer(expectTag(parts.at(-1), derTags.octetString).content));
    }
  }
  return [];
}
