import { createCipheriv, createDecipheriv, randomBytes, type CipherGCMTypes } from 'node:crypto';
import { ValueTransformError, type ValueTransformer } from './value-transformer.ts';

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Provider `aesgcm`: a random nonce, AES-GCM, the tag. Bound to the value's place in the store: a value moved to
 * another key does not decrypt. Nonces are random, so that one key is good for some 2^32 writes: rotate before.
 */
export function aesGcm(key: Uint8Array): ValueTransformer {
  const algorithm = `aes-${key.length * 8}-gcm` as CipherGCMTypes;
  return {
    open(stored, path) {
      if (stored.length < NONCE_BYTES + TAG_BYTES)
        throw new ValueTransformError('the stored data was shorter than the required size');
      const decipher = createDecipheriv(algorithm, key, stored.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES });
      decipher.setAAD(Buffer.from(path));
      decipher.setAuthTag(stored.subarray(-TAG_BYTES));
      try {
        return {
          value: Buffer.concat([decipher.update(stored.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()]),
          stale: false,
        };
      } catch {
        throw new ValueTransformError('cipher: message authentication failed');
      }
    },
    seal(value, path) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(algorithm, key, nonce, { authTagLength: TAG_BYTES });
      cipher.setAAD(Buffer.from(path));
      return Buffer.concat([nonce, cipher.update(value), cipher.final(), cipher.getAuthTag()]);
    },
  };
}
