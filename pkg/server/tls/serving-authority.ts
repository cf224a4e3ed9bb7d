import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  randomBytes,
  X509Certificate,
  type KeyObject,
  type KeyPairKeyObjectResult,
} from 'node:crypto';
import { isIP } from 'node:net';
import { derItems, derTags, expectTag, readDer } from '../../api/certificates/der.ts';
import {
  derBitString,
  derBoolean,
  derOidValue,
  derSequence,
  derSet,
  derString,
  derValue,
} from '../../api/certificates/der-encoding.ts';
import { certificateExtension, encodeCertificate } from '../../api/certificates/encode-certificate.ts';
import { openIssuer, signatureOf } from '../../api/certificates/issuer.ts';
import { attributeOids, extensionOids } from '../../api/certificates/object-identifiers.ts';
import { parseIp } from '../../apimachinery/names/ip.ts';

const SERVER_AUTHENTICATION = '1.3.6.1.5.5.7.3.1';
/** Bits of usages, the first one highest: keyCertSign and cRLSign; digitalSignature. */
const SIGNS_CERTIFICATES = 0x06;
const SIGNS = 0x80;
const HOST_TAG = 0x82;
const ADDRESS_TAG = 0x87;
const SERIAL_BYTES = 8;

const VALID_MS = 10 * 365 * 24 * 3600 * 1000;
const CLOCK_SKEW_MS = 3600 * 1000;
export const AUTHORITY_NAME = 'CN=binnacle-ca';
export const SERVER_NAME = 'CN=binnacle';

/** Signs certificates; both texts are PEM. */
export interface ServingAuthority {
  readonly cert: string;
  readonly key: string;
}

/** A new key (P-256), as all that are made here. */
export function createKeyPair(): KeyPairKeyObjectResult {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' });
}

/** A new authority; `subject`: `CN=name`. */
export function createAuthority(subject = AUTHORITY_NAME): ServingAuthority {
  const { privateKey, publicKey } = createKeyPair();
  const [name, keyId] = [nameOf(subject), keyIdOf(publicKey)];
  const cert = encodeCertificate(
    { name, keyId, validToMs: Date.now() + VALID_MS, ...signatureOf(privateKey) },
    {
      serial: Buffer.from([1]),
      subject: name,
      publicKey: publicKey.export({ type: 'spki', format: 'der' }),
      ...validity(),
      extensions: [
        certificateExtension(extensionOids.basicConstraints, derSequence(derBoolean(true)), true),
        certificateExtension(extensionOids.keyUsage, derBitString(Buffer.from([SIGNS_CERTIFICATES]), 1), true),
        certificateExtension(extensionOids.subjectKeyId, derValue(derTags.octetString, keyId)),
      ],
    },
  );
  return { cert, key: String(privateKey.export({ type: 'pkcs8', format: 'pem' })) };
}

/** Whether the texts are an authority that was made here, and its key. */
export function isServingAuthority({ cert, key }: ServingAuthority): boolean {
  try {
    const authority = new X509Certificate(cert);
    return authority.subject === AUTHORITY_NAME && authority.checkPrivateKey(createPrivateKey(key));
  } catch {
    // Malformed PEM is no authority that was made here.
    return false;
  }
}

/** A certificate for these host names and addresses with its key, of a new authority that is kept nowhere; both PEM. */
export function createServingPair(names: readonly string[]): { readonly cert: string; readonly key: string } {
  const { privateKey, publicKey } = createKeyPair();
  const cert = createServingCertificate(createAuthority(), names, publicKey);
  return { cert, key: String(privateKey.export({ type: 'pkcs8', format: 'pem' })) };
}

/**
 * A certificate for a key of `createKeyPair` and these host names and addresses, with that of the authority behind it;
 * PEM.
 */
export function createServingCertificate(
  authority: ServingAuthority,
  names: readonly string[],
  publicKey: KeyObject,
): string {
  const issuer = openIssuer({ certificate: authority.cert, privateKey: authority.key });
  // An authority of an earlier release has no identifier in its certificate.
  const authorityKeyId = issuer.keyId ?? keyIdOf(createPublicKey(authority.key));
  const cert = encodeCertificate(issuer, {
    serial: Buffer.concat([Buffer.from([1]), randomBytes(SERIAL_BYTES)]),
    subject: nameOf(SERVER_NAME),
    publicKey: publicKey.export({ type: 'spki', format: 'der' }),
    ...validity(),
    extensions: [
      certificateExtension(extensionOids.basicConstraints, derSequence()),
      certificateExtension(extensionOids.keyUsage, derBitString(Buffer.from([SIGNS]), 7), true),
      certificateExtension(extensionOids.extendedKeyUsage, derSequence(derOidValue(SERVER_AUTHENTICATION))),
      certificateExtension(extensionOids.subjectKeyId, derValue(derTags.octetString, keyIdOf(publicKey))),
      certificateExtension(extensionOids.authorityKeyId, derSequence(derValue(0x80, authorityKeyId))),
      certificateExtension(extensionOids.subjectAlternativeName, derSequence(...names.map(alternativeName))),
    ],
  });
  return `${cert}${authority.cert}`;
}

function validity(): { readonly notBeforeMs: number; readonly notAfterMs: number } {
  return { notBeforeMs: Date.now() - CLOCK_SKEW_MS, notAfterMs: Date.now() + VALID_MS };
}

/** Of a text `CN=name`. */
function nameOf(text: string): Buffer {
  return derSequence(derSet([derSequence(derOidValue(attributeOids.commonName), derString(text.slice('CN='.length)))]));
}

/** The hash of the key's bits (RFC 5280, 4.2.1.2): strict clients want it in both certificates. */
function keyIdOf(key: KeyObject): Buffer {
  const [, bits] = derItems(readDer(key.export({ type: 'spki', format: 'der' })));
  // Behind the count of unused bits.
  return createHash('sha1').update(expectTag(bits, derTags.bitString).content.subarray(1)).digest();
}

function alternativeName(name: string): Buffer {
  const ip = isIP(name) === 0 ? undefined : parseIp(name);
  return ip === undefined ? derValue(HOST_TAG, Buffer.from(name, 'latin1')) : derValue(ADDRESS_TAG, Buffer.from(ip));
}
