/** The part of the Distinguished Encoding Rules (X.690) that a certificate's extensions need. */

export interface DerValue {
  /** Identifier octet: class, constructed or not, number. */
  readonly tag: number;
  readonly content: Buffer;
}

/** Bytes that are no DER. */
export class DerError extends Error {}

export const derTag = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  objectIdentifier: 0x06,
  sequence: 0x30,
} as const;

/** The values that follow one another in `bytes`. Throws `DerError`. */
export function derValues(bytes: Buffer): readonly DerValue[] {
  const values: DerValue[] = [];
  for (let at = 0; at < bytes.length;) {
    const tag = bytes[at]!;
    if ((tag & 0x1f) === 0x1f) throw new DerError('a tag of more than one octet');
    const { length, start } = lengthAt(bytes, at + 1);
    if (start + length > bytes.length) throw new DerError('a value ends behind its container');
    values.push({ tag, content: bytes.subarray(start, start + length) });
    at = start + length;
  }
  return values;
}

/** The values inside one that must have the tag. */
export function derInside(value: DerValue | undefined, tag: number): readonly DerValue[] {
  return derValues(derContent(value, tag));
}

export function derContent(value: DerValue | undefined, tag: number): Buffer {
  if (value?.tag !== tag) throw new DerError(`a value with the tag ${tag} is missing`);
  return value.content;
}

/** Dotted text of an object identifier. */
export function derObjectIdentifier(value: DerValue | undefined): string {
  const arcs: number[] = [];
  let arc = 0;
  for (const octet of derContent(value, derTag.objectIdentifier)) {
    arc = arc * 128 + (octet & 0x7f);
    if (arc > Number.MAX_SAFE_INTEGER / 128) throw new DerError('an object identifier with too large an arc');
    if ((octet & 0x80) !== 0) continue;
    arcs.push(arc);
    arc = 0;
  }
  const [first = 0, ...rest] = arcs;
  const top = Math.min(2, Math.floor(first / 40));
  return [top, first - top * 40, ...rest].join('.');
}

function lengthAt(bytes: Buffer, at: number): { readonly length: number; readonly start: number } {
  const first = bytes[at];
  if (first === undefined) throw new DerError('a value without a length');
  if (first < 0x80) return { length: first, start: at + 1 };
  const octets = first & 0x7f;
  if (octets === 0 || octets > 4 || at + octets >= bytes.length) throw new DerError('a length that cannot be read');
  return { length: bytes.readUIntBE(at + 1, octets), start: at + 1 + octets };
}
