import { stringifyGoJson } from '../../apimachinery/json/go-json.ts';

const OFFSET = 0x811c9dc5;
const PRIME = 0x01000193;
/** Letters and digits that form no words. */
const ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';

/** A short text that stands for the data of a revision; another one for each count of collisions. */
export function revisionHash(data: unknown, collisionCount: number | undefined): string {
  let hash = fnv1(OFFSET, stringifyGoJson(data));
  if (collisionCount !== undefined) hash = fnv1(hash, String(collisionCount));
  return [...String(hash >>> 0)].map((digit) => ALPHABET[digit.charCodeAt(0) % ALPHABET.length]).join('');
}

/** FNV-1 of 32 bits over UTF-8. */
function fnv1(seed: number, text: string): number {
  let hash = seed;
  for (const byte of Buffer.from(text)) hash = Math.imul(hash, PRIME) ^ byte;
  return hash;
}
