/**
 * The part of DER (X.690) that reading a certificate request needs: values with short tags, read without recursion on
 * demand. Throws Error for bytes that are not well-formed.
 */
export interface DerValue {
  /** The tag byte: class, constructed bit and number. */
  readonly tag: number;
  readonly content: Buffer;
  /** Tag, length and content. */
  readonly whole: Buffer;
}

export const derTags = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  null: 0x05,
  objectIdentifier: 0x06,
  utf8String: 0x0c,
  printableString: 0x13,
  utcTime: 0x17,
  generalizedTime: 0x18,
  bmpString: 0x1e,
  sequence: 0x30,
  set: 0x31,
} as const;

/** The one value that the bytes are; none may follow. */
export function readDer(bytes: Buffer): DerValue {
  const [value, end] = readAt(bytes, 0);
  if (end !== bytes.length) throw new Error('asn1: syntax error: trailing data');
  return value;
}

/** The values in a constructed value. */
export function derItems(value: DerValue): DerValue[] {
  const items: DerValue[] = [];
  for (let at = 0; at < value.content.length;) {
    const [item, end] = readAt(value.content, at);
    items.push(item);
    at = end;
  }
  return items;
}

export function expectTag(value: DerValue | undefined, tag: number): DerValue {
  if (value === undefined) throw new Error('asn1: syntax error: sequence truncated');
  if (value.tag !== tag)
    throw new Error(`asn1: structure error: tags don't match (${tag & 0x1f} vs ${value.tag & 0x1f})`);
  return value;
}

/** `1.2.840.113549` */
export function derOid(value: DerValue | undefined): string {
  const { content } = expectTag(value, derTags.objectIdentifier);
  const parts: number[] = [];
  let part = 0;
  for (const byte of content) {
    part = part * 128 + (byte & 127);
    if (byte < 128) {
      parts.push(part);
      part = 0;
    }
  }
  const [first = 0, ...rest] = parts;
  const root = Math.min(2, Math.floor(first / 40));
  return [root, first - root * 40, ...rest].join('.');
}

/** A text of any of the string types. */
export function derText(value: DerValue | undefined): string {
  if (value === undefined) throw new Error('asn1: syntax error: sequence truncated');
  if (value.tag === derTags.bmpString) return Buffer.from(value.content).swap16().toString('utf16le');
  return value.content.toString('utf8');
}

function readAt(bytes: Buffer, start: number): [DerValue, number] {
  const tag = bytes[start];
  const first = bytes[start + 1];
  if (tag === undefined || first === undefined) throw new Error('asn1: syntax error: truncated tag or length');
  if ((tag & 0x1f) === 0x1f) throw new Error('asn1: structure error: tag is too long');
  let at = start + 2;
  let length = first;
  if (first >= 128) {
    const count = first & 127;
    if (count === 0 || count > 4) throw new Error('asn1: structure error: length too large');
    if (at + count > bytes.length) throw new Error('asn1: syntax error: truncated tag or length');
    length = bytes.readUIntBE(at, count);
    at += count;
  }
  const end = at + length;
  if (end > bytes.length) throw new Error('asn1: syntax error: data truncated');
  return [{ tag, content: bytes.subarray(at, end), whole: bytes.subarray(start, end) }, end];
}
