import { derTags } from './der.ts';
import { derBitString, derBoolean, derOidValue, derSequence, derTime, derUnsigned, derValue } from './der-encoding.ts';
import type { Issuer } from './issuer.ts';

/** What a certificate says; parts in DER. */
export interface CertificateContent {
  readonly serial: Uint8Array;
  readonly subject: Buffer;
  /** SubjectPublicKeyInfo. */
  readonly publicKey: Buffer;
  readonly notBeforeMs: number;
  readonly notAfterMs: number;
  /** Made by `certificateExtension`. */
  readonly extensions: readonly Buffer[];
}

/** A certificate of version 3 (RFC 5280, 4.1), signed by `issuer`; PEM. */
export function encodeCertificate(issuer: Issuer, content: CertificateContent): string {
  const { serial, subject, publicKey, notBeforeMs, notAfterMs, extensions } = content;
  const signed = derSequence(
    derValue(0xa0, derUnsigned(Buffer.from([2]))),
    derUnsigned(serial),
    issuer.algorithm,
    issuer.name,
    derSequence(derTime(notBeforeMs), derTime(notAfterMs)),
    subject,
    publicKey,
    derValue(0xa3, derSequence(...extensions)),
  );
  const certificate = derSequence(signed, issuer.algorithm, derBitString(issuer.sign(signed)));
  const lines = certificate.toString('base64').match(/.{1,64}/g)!;
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`;
}

export function certificateExtension(oid: string, value: Buffer, isCritical = false): Buffer {
  const critical = isCritical ? derBoolean(true) : Buffer.alloc(0);
  return derSequence(derOidValue(oid), critical, derValue(derTags.octetString, value));
}
