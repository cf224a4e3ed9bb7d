const OFFSET = 0x811c9dc5;
const PRIME = 0x01000193;
/** Letters and digits that form no words. */
const ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';
/** Characters that Go writes escaped in JSON, for pages that embed it. */
const ESCAPED = /[<>&\u2028\u2029]/g;

/** A short text that stands for the data of a revision; another one for each count of collisions. */
export function revisionHash(data: unknown, collisionCount: number | undefined): string {
  let hash = fnv1(OFFSET, goJson(data));
  if (collisionCount !== undefined) hash = fnv1(hash, String(collisionCount));
  return [...String(hash >>> 0)].map((digit) => ALPHABET[digit.charCodeAt(0) % ALPHABET.length]).join('');
}

/** FNV-1 of 32 bits over UTF-8. */
function fnv1(seed: number, text: string): number {
  let hash = seed;
  for (const byte of Buffer.from(text)) hash = Math.imul(hash, PRIME) ^ byte;
  return hash;
}

/** The bytes that stock managers hash. */
function goJson(data: unknown): string {
  return JSON.stringify(data).replace(ESCAPED, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
