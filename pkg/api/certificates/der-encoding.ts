/** The part of DER (X.690) that certificates are written with. */
import { derTags } from './der.ts';

/** One value with its tag and length. */
export function derValue(tag: number, ...contents: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(contents);
  return Buffer.concat([Buffer.from([tag]), lengthOctets(content.length), content]);
}

export function derSequence(...items: readonly Uint8Array[]): Buffer {
  return derValue(derTags.sequence, ...items);
}

/** The values are written in the order of their octets. */
export function derSet(items: readonly Uint8Array[]): Buffer {
  return derValue(derTags.set, ...items.toSorted((a, b) => Buffer.compare(a, b)));
}

/** A whole number that is not negative. */
export function derUnsigned(octets: Uint8Array): Buffer {
  const from = octets.findIndex((octet) => octet !== 0);
  const digits = from < 0 ? Buffer.alloc(1) : octets.subarray(from);
  // The first bit is the sign.
  return derValue(derTags.integer, Buffer.alloc(digits[0]! >= 0x80 ? 1 : 0), digits);
}

export function derOidValue(dotted: string): Buffer {
  const [top = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  return derValue(derTags.objectIdentifier, Buffer.from([top * 40 + second, ...rest].flatMap(arcOctets)));
}

export function derBoolean(value: boolean): Buffer {
  return derValue(derTags.boolean, Buffer.from([value ? 0xff : 0]));
}

export function derBitString(octets: Uint8Array, unusedBits = 0): Buffer {
  return derValue(derTags.bitString, Buffer.from([unusedBits]), octets);
}

/** To the second; until 2049 in the short form (RFC 5280, 4.1.2.5). */
export function derTime(ms: number): Buffer {
  const digits = `${new Date(ms).toISOString().slice(0, 19).replaceAll(/[-:T]/g, '')}Z`;
  const isShort = new Date(ms).getUTCFullYear() < 2050;
  return derValue(
    isShort ? derTags.utcTime : derTags.generalizedTime,
    Buffer.from(isShort ? digits.slice(2) : digits, 'latin1'),
  );
}

/** In the narrowest of the two string types that names have today. */
export function derString(text: string): Buffer {
  const isPrintable = /^[A-Za-z0-9 '()+,\-./:=?]*$/.test(text);
  return derValue(isPrintable ? derTags.printableString : derTags.utf8String, Buffer.from(text, 'utf8'));
}

function lengthOctets(length: number): Buffer {
  if (length < 0x80) return Buffer.from([length]);
  const octets: number[] = [];
  for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) octets.unshift(rest % 256);
  return Buffer.from([0x80 | octets.length, ...octets]);
}

/** Seven bits an octet; all but the last have the first bit set. */
function arcOctets(arc: number): number[] {
  const octets = [arc % 128];
  for (let rest = Math.floor(arc / 128); rest > 0; rest = Math.floor(rest / 128)) octets.unshift(0x80 | (rest % 128));
  return octets;
}
