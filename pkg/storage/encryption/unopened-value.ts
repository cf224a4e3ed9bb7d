import { ENCRYPTED_PREFIX, isEncrypted } from './prefixed-transformers.ts';

const UNOPENED_PREFIX = `${ENCRYPTED_PREFIX}unopened:`;
const REASON_LENGTH_MAX = 1024;

/** What is handed on in the place of a stored value that does not open. `path`: the value's whole key in the store. */
export function unopenedValue(path: string, error: unknown): Uint8Array {
  const reason = error instanceof Error ? error.message : String(error);
  return Buffer.from(`${UNOPENED_PREFIX}unable to transform key ${JSON.stringify(path)}: ${reason.slice(0, REASON_LENGTH_MAX)}`);
}

/** Why the value is none that can be decoded; undefined for one that can. `key` names what nobody tried to open. */
export function whyUnopened(value: Uint8Array, key: string): string | undefined {
  if (!isEncrypted(value)) return undefined;
  const text = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  if (text.subarray(0, UNOPENED_PREFIX.length).toString() === UNOPENED_PREFIX) return text.subarray(UNOPENED_PREFIX.length).toString();
  return `unable to transform key ${JSON.stringify(key)}: identity transformer tried to read encrypted data`;
}
