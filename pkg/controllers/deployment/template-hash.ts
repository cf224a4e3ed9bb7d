import { sortKeys } from '../../apimachinery/json/sort-keys.ts';
import { safeEncode } from '../../apimachinery/names/rand-suffix.ts';
import type { PodTemplateSpec } from '../../generated/types/core-v1.ts';

const OFFSET = 0x811c9dc5;
const PRIME = 0x01000193;

/**
 * A short text that stands for a template; another one for each count of collisions. Which set belongs to a template is
 * seen by the template, not by this hash: stock managers make others.
 */
export function templateHash(template: PodTemplateSpec, collisionCount: number | undefined): string {
  let hash = fnv1a(OFFSET, JSON.stringify(sortKeys(template)));
  if (collisionCount !== undefined) hash = fnv1a(hash, String(collisionCount));
  return safeEncode(hash >>> 0);
}

/** FNV-1a of 32 bits over UTF-8. */
function fnv1a(seed: number, text: string): number {
  let hash = seed;
  for (const byte of Buffer.from(text)) hash = Math.imul(hash ^ byte, PRIME);
  return hash;
}
