import { randomInt } from 'node:crypto';

/** No vowels, and no characters that look alike: suffixes form no words. */
const ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';
const SUFFIX_LENGTH = 5;
const NAME_LENGTH_MAX = 63;

/** A whole number from 0 up to, and without, `bound`. */
export type RandomBelow = (bound: number) => number;

const secureRandom: RandomBelow = (bound) => randomInt(bound);

/** Five random characters of the alphabet that Kubernetes uses. */
export function randSuffix(random: RandomBelow = secureRandom, length = SUFFIX_LENGTH): string {
  let suffix = '';
  for (let i = 0; i < length; i++) suffix += ALPHABET[random(ALPHABET.length)];
  return suffix;
}

/** A number as a part of a name: its digits as characters of the same alphabet. */
export function safeEncode(number: number): string {
  return [...String(number)].map((digit) => ALPHABET[digit.charCodeAt(0) % ALPHABET.length]).join('');
}

/** The name for a `metadata.generateName`: cut so that it fits 63 characters with the suffix. */
export function generateName(base: string, random: RandomBelow = secureRandom): string {
  return base.slice(0, NAME_LENGTH_MAX - SUFFIX_LENGTH) + randSuffix(random);
}
