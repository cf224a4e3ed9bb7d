import { randomBytes } from 'node:crypto';
import { xsalsa20poly1305 } from '@noble/ciphers/salsa.js';
import { ValueTransformError, type ValueTransformer } from './value-transformer.ts';

const NONCE_BYTES = 24;
const TAG_BYTES = 16;

/** Provider `secretbox`: a random nonce, then XSalsa20 and Poly1305 in NaCl's construction. */
export function secretbox(key: Uint8Array): ValueTransformer {
  return {
    open(stored) {
      if (stored.length < NONCE_BYTES + TAG_BYTES)
        throw new ValueTransformError('the stored data was shorter than the required size');
      try {
        return {
          value: xsalsa20poly1305(key, stored.subarray(0, NONCE_BYTES)).decrypt(stored.subarray(NONCE_BYTES)),
          stale: false,
        };
      } catch {
        throw new ValueTransformError('the key does not fit the stored data');
      }
    },
    seal(value) {
      const nonce = randomBytes(NONCE_BYTES);
      return Buffer.concat([nonce, xsalsa20poly1305(key, nonce).encrypt(value)]);
    },
  };
}
