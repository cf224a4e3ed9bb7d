import { createPrivateKey, sign, X509Certificate, type KeyObject } from 'node:crypto';
import { derItems, derOid, derTags, expectTag, readDer, type DerValue } from './der.ts';
import { derOidValue, derSequence, derValue } from './der-encoding.ts';
import { extensionOids } from './object-identifiers.ts';

/** An authority, ready to sign. */
export interface Issuer {
  /** Its name in DER. */
  readonly name: Buffer;
  /** Undefined where its certificate has none. */
  readonly keyId: Buffer | undefined;
  readonly validToMs: number;
  /** AlgorithmIdentifier in DER. */
  readonly algorithm: Buffer;
  readonly sign: (bytes: Buffer) => Buffer;
}

/** The texts of an authority, both PEM. */
export interface AuthorityPair {
  readonly certificate: string;
  readonly privateKey: string;
}

const VERSION_TAG = 0xa0;
const EXTENSIONS_TAG = 0xa3;

/** By curve: the identifier of ECDSA with the hash of its strength, and that hash. */
const CURVES: Readonly<Record<string, readonly [oid: string, hash: string]>> = {
  prime256v1: ['1.2.840.10045.4.3.2', 'sha256'],
  secp384r1: ['1.2.840.10045.4.3.3', 'sha384'],
  secp521r1: ['1.2.840.10045.4.3.4', 'sha512'],
};
const RSA_SHA256 = '1.2.840.113549.1.1.11';
const ED25519 = '1.3.101.112';

/** Throws for texts that are no certificate of an authority, or not its key. */
export function openIssuer({ certificate, privateKey }: AuthorityPair): Issuer {
  const parsed = new X509Certificate(certificate);
  const key = createPrivateKey(privateKey);
  if (!parsed.checkPrivateKey(key)) throw new Error('the private key is not that of the signing certificate');
  return { ...readAuthority(parsed.raw), validToMs: Date.parse(parsed.validTo), ...signatureOf(key) };
}

/** How a key signs. */
export function signatureOf(key: KeyObject): Pick<Issuer, 'algorithm' | 'sign'> {
  const [hash, algorithm] = algorithmOf(key);
  return { algorithm, sign: (bytes) => sign(hash, bytes, key) };
}

function algorithmOf(key: KeyObject): readonly [hash: string | null, algorithm: Buffer] {
  switch (key.asymmetricKeyType) {
    case 'rsa':
      return ['sha256', derSequence(derOidValue(RSA_SHA256), derValue(derTags.null))];
    case 'ed25519':
      return [null, derSequence(derOidValue(ED25519))];
    default: {
      const curve = CURVES[key.asymmetricKeyDetails?.namedCurve ?? ''];
      if (curve === undefined) throw new Error('the key of the signing authority is not RSA, ECDSA or Ed25519');
      return [curve[1], derSequence(derOidValue(curve[0]))];
    }
  }
}

function readAuthority(der: Buffer): Pick<Issuer, 'name' | 'keyId'> {
  const [content] = derItems(readDer(der));
  const parts = derItems(expectTag(content, derTags.sequence)).filter(({ tag }) => tag !== VERSION_TAG);
  const [, , , , subject] = parts;
  const extensions = parts.find(({ tag }) => tag === EXTENSIONS_TAG);
  return { name: expectTag(subject, derTags.sequence).whole, keyId: keyIdOf(extensions) };
}

function keyIdOf(extensions: DerValue | undefined): Buffer | undefined {
  if (extensions === undefined) return undefined;
  for (const extension of derItems(readDer(extensions.content))) {
    const parts = derItems(extension);
    if (derOid(parts[0]) === extensionOids.subjectKeyId)
      return readDer(expectTag(parts.at(-1), derTags.octetString).content).content;
  }
  return undefined;
}
