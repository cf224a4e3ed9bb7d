import type { ObjectMeta } from '../../apimachinery/meta/object.ts';
import { getKey } from '../../apimachinery/json/own-keys.ts';
import { goQuote } from '../../apimachinery/values/go-format.ts';
import { DecodeError } from '../../codec/normalize.ts';

/**
 * Reads a signed 64-bit integer; a BigInt beyond the safe range of numbers. Throws DecodeError in the words of Go's
 * parser.
 */
export function parseInt64(text: string): number | bigint {
  if (!/^[+-]?[0-9]+$/.test(text)) throw new DecodeError(`strconv.ParseInt: parsing ${goQuote(text)}: invalid syntax`);
  // Nineteen digits are the most that fit; leading zeros are allowed.
  const digits = text.replace(/^[+-]?0*/, '');
  const value = digits.length > 19 ? undefined : BigInt(`${text.startsWith('-') ? '-' : ''}${digits || '0'}`);
  if (value === undefined || BigInt.asIntN(64, value) !== value) {
    throw new DecodeError(`strconv.ParseInt: parsing ${goQuote(text)}: value out of range`);
  }
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

/** Removes an annotation from the metadata; an empty map is removed too. */
export function takeAnnotation(meta: ObjectMeta, key: string): string | undefined {
  const text = getKey<string>(meta.annotations, key);
  if (text === undefined) return undefined;
  const rest = { ...meta.annotations };
  delete rest[key];
  if (Object.keys(rest).length > 0) meta.annotations = rest;
  else delete meta.annotations;
  return text;
}

export function setAnnotation(meta: ObjectMeta, key: string, value: string): void {
  meta.annotations = { ...meta.annotations, [key]: value };
}
