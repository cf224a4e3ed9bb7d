import { hash, randomBytes, timingSafeEqual } from 'node:crypto';

/** A random key of this process: the digest of a text reveals nothing to a client that measures time. */
const key = randomBytes(32).toString('base64');

/**
 * The text that was asked for last: of one request's token every authenticator asks, and clients send the same one
 * again and again.
 *
 * Process-wide: what stands in for a text depends on nothing else.
 */
let latest = { text: '', blinded: '' };

/**
 * A digest of a secret text, as a key of maps: looking it up takes no time that depends on how much of a guess is
 * right.
 */
export function blinded(text: string): string {
  if (latest.blinded === '' || !sameCharacters(text, latest.text)) latest = { text, blinded: hashed(text) };
  return latest.blinded;
}

function hashed(text: string): string {
  return hash('sha256', key + text, 'base64');
}

/** Takes as long for any two texts of the same length. */
function sameCharacters(a: string, b: string): boolean {
  if (a.length !== b.length) return false;
  let difference = 0;
  for (let i = 0; i < a.length; i++) difference |= a.charCodeAt(i) ^ b.charCodeAt(i);
  return difference === 0;
}

/** Whether two texts are equal, in a time that depends on neither's content nor on where they differ. */
export function equalInConstantTime(a: string, b: string): boolean {
  return timingSafeEqual(Buffer.from(hashed(a)), Buffer.from(hashed(b)));
}
