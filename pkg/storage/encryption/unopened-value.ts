import { ENCRYPTED_PREFIX, isEncrypted } from './prefixed-transformers.ts';

const UNOPENED_PREFIX = `${ENCRYPTED_PREFIX}unopened:`;
const REASON_LENGTH_MAX = 1024;

/** The marker in the place of a stored value that cannot be decrypted. `path`: the value's whole key in the store. */
export function unopenedValue(path: string, error: unknown): Uint8Array {
  const reason = error instanceof Error ? error.message : String(error);
  return Buffer.from(
    `${UNOPENED_PREFIX}unable to transform key ${JSON.stringify(path)}: ${reason.slice(0, REASON_LENGTH_MAX)}`,
  );
}

/** The marker in the place of a value that the disk has damaged. */
export function damagedValue(key: string, reason: string): Uint8Array {
  return Buffer.from(`${UNOPENED_PREFIX}the stored value of ${JSON.stringify(key)} is damaged: ${reason}`);
}

/** Whether the value is a marker for an unreadable one. */
export function isUnreadableValue(value: Uint8Array): boolean {
  return isEncrypted(value) && startOf(value) === UNOPENED_PREFIX;
}

/** Why the value cannot be decoded; undefined for one that can. `key` is for the message. */
export function decryptionError(value: Uint8Array, key: string): string | undefined {
  if (!isEncrypted(value)) return undefined;
  if (startOf(value) === UNOPENED_PREFIX) return Buffer.from(value.subarray(UNOPENED_PREFIX.length)).toString();
  return `unable to transform key ${JSON.stringify(key)}: identity transformer tried to read encrypted data`;
}

function startOf(value: Uint8Array): string {
  return Buffer.from(value.subarray(0, UNOPENED_PREFIX.length)).toString();
}
