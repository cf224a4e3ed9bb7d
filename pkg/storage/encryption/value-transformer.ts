/** A stored value as it was before its encryption. */
export interface OpenedValue {
  readonly value: Uint8Array;
  /**
   * Written with another provider or key than the first: the next update writes it again, even one that changes nothing
   * else.
   */
  readonly stale: boolean;
}

/**
 * One way to encrypt values in the store. `path` is the value's whole key in the store, `/registry/secrets/default/a`:
 * some providers bind the value to it. Throws `ValueTransformError` when a value cannot be decrypted or encrypted; the
 * stored value stays.
 */
export interface ValueTransformer {
  open(stored: Uint8Array, path: string): Promise<OpenedValue> | OpenedValue;
  seal(value: Uint8Array, path: string): Promise<Uint8Array> | Uint8Array;
}

/** Why a value could not be decrypted or encrypted. Holds neither values nor keys. */
export class ValueTransformError extends Error {}

/** The service that keeps the value's key failed: a retry may succeed. */
export class KeyServiceError extends ValueTransformError {}
