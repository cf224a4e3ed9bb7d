import { stringifyGoJson } from '../../apimachinery/json/go-json.ts';
import { safeEncode } from '../../apimachinery/names/rand-suffix.ts';

const OFFSET = 0x811c9dc5;
const PRIME = 0x01000193;

/** A short text that stands for the data of a revision; another one for each count of collisions. */
export function revisionHash(data: unknown, collisionCount: number | undefined): string {
  let hash = fnv1(OFFSET, stringifyGoJson(data));
  if (collisionCount !== undefined) hash = fnv1(hash, String(collisionCount));
  return safeEncode(hash >>> 0);
}

/** FNV-1 of 32 bits over UTF-8. */
function fnv1(seed: number, text: string): number {
  let hash = seed;
  for (const byte of Buffer.from(text)) hash = Math.imul(hash, PRIME) ^ byte;
  return hash;
}
