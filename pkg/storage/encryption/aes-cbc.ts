import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { ValueTransformError, type ValueTransformer } from './value-transformer.ts';

const IV_BYTES = 16;

/**
 * Provider `aescbc`: a random initialization vector, then AES-CBC with PKCS #7 padding. Only the padding reveals a
 * wrong key.
 */
export function aesCbc(key: Uint8Array): ValueTransformer {
  const algorithm = `aes-${key.length * 8}-cbc`;
  return {
    open(stored) {
      if (stored.length < 2 * IV_BYTES)
        throw new ValueTransformError('the stored data was shorter than the required size');
      if (stored.length % IV_BYTES !== 0)
        throw new ValueTransformError('the stored data is not a multiple of the block size');
      const decipher = createDecipheriv(algorithm, key, stored.subarray(0, IV_BYTES));
      try {
        return { value: Buffer.concat([decipher.update(stored.subarray(IV_BYTES)), decipher.final()]), stale: false };
      } catch {
        throw new ValueTransformError('invalid padding on input');
      }
    },
    seal(value) {
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv(algorithm, key, iv);
      return Buffer.concat([iv, cipher.update(value), cipher.final()]);
    },
  };
}
