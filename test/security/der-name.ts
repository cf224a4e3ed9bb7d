/** ASN.1 tags of the string types that names of certificates come in. */
export const UTF8_STRING = 0x0c;
export const PRINTABLE_STRING = 0x13;
export const T61_STRING = 0x14;
export const UNIVERSAL_STRING = 0x1c;
export const BMP_STRING = 0x1e;

/**
 * A value of a certificate's name, as an own choice of type and bytes: the form `#hex` of RFC 4514. At most 127 bytes,
 * or any that fit into 16 bits.
 */
export function derValue(tag: number, content: Uint8Array | string): string {
  const bytes = Buffer.from(content);
  const length = bytes.length < 128 ? [bytes.length] : [0x82, bytes.length >> 8, bytes.length & 0xff];
  return `#${Buffer.from([tag, ...length, ...bytes]).toString('hex')}`;
}

/** A text as BMPString holds it, two bytes for each unit. */
export function bmpValue(text: string): string {
  return derValue(BMP_STRING, Buffer.from(text, 'utf16le').swap16());
}

/** A text as UniversalString holds it, four bytes for each character. */
export function universalValue(text: string): string {
  return derValue(
    UNIVERSAL_STRING,
    Buffer.from(
      [...text].flatMap((character) => [0, 0, character.codePointAt(0)! >> 8, character.codePointAt(0)! & 0xff]),
    ),
  );
}
