import { ValueTransformError, type OpenedValue, type ValueTransformer } from './value-transformer.ts';

/** The prefix of every encrypted value in a store. */
export const ENCRYPTED_PREFIX = 'k8s:enc:';
const encryptedPrefix = Buffer.from(ENCRYPTED_PREFIX);

/** A provider with one key, and the prefix of its values: `k8s:enc:aescbc:v1:key1:`; empty for plain values. */
export interface PrefixedTransformer {
  readonly prefix: string;
  readonly transformer: ValueTransformer;
}

/** True for values that a provider wrote. */
export function isEncrypted(stored: Uint8Array): boolean {
  return startsWith(stored, encryptedPrefix);
}

/**
 * Providers in order: the first writes; each is tried on the values with its prefix, until one decrypts it. A prefix
 * may be there twice, so that a key can be changed under the same name.
 */
export class PrefixedTransformers implements ValueTransformer {
  private readonly transformers: readonly { prefix: Buffer; transformer: ValueTransformer }[];

  /** At least one. */
  constructor(transformers: readonly PrefixedTransformer[]) {
    this.transformers = transformers.map(({ prefix, transformer }) => ({ prefix: Buffer.from(prefix), transformer }));
  }

  open(stored: Uint8Array, path: string): Promise<OpenedValue> | OpenedValue {
    return this.openFrom(0, stored, path, undefined);
  }

  /** `failure`: of a provider before `position`. */
  private openFrom(
    position: number,
    stored: Uint8Array,
    path: string,
    failure: unknown,
  ): Promise<OpenedValue> | OpenedValue {
    for (let i = position; i < this.transformers.length; i++) {
      const { prefix, transformer } = this.transformers[i]!;
      if (prefix.length === 0 ? isEncrypted(stored) : !startsWith(stored, prefix)) continue;
      const fits = ({ value, stale }: OpenedValue): OpenedValue => ({ value, stale: stale || i > 0 });
      try {
        const opened = transformer.open(stored.subarray(prefix.length), path);
        if (!(opened instanceof Promise)) return fits(opened);
        return opened.then(fits, (error: unknown) => this.openFrom(i + 1, stored, path, failure ?? error));
      } catch (error) {
        failure ??= error;
      }
    }
    throw failure ?? new ValueTransformError(this.noneFits(stored));
  }

  private noneFits(stored: Uint8Array): string {
    for (const { prefix } of this.transformers) {
      if (prefix.length === 0 && isEncrypted(stored)) return 'identity transformer tried to read encrypted data';
      const [provider, cipher] = ofOneProvider(prefix);
      if (cipher !== undefined && startsWith(stored, provider))
        return `no matching key was found for the provided ${cipher} transformer`;
    }
    return 'no matching prefix found';
  }

  seal(value: Uint8Array, path: string): Promise<Uint8Array> | Uint8Array {
    const { prefix, transformer } = this.transformers[0]!;
    const sealed = transformer.seal(value, path);
    if (prefix.length === 0) return sealed;
    return sealed instanceof Promise
      ? sealed.then((bytes) => Buffer.concat([prefix, bytes]))
      : Buffer.concat([prefix, sealed]);
  }
}

const ciphers = new Map([
  ['aescbc', 'AES'],
  ['aesgcm', 'AES'],
  ['secretbox', 'Secretbox'],
]);

/** The common prefix of the values of a provider's keys, `k8s:enc:aescbc:v1:`, and the name of its cipher. */
function ofOneProvider(prefix: Buffer): readonly [prefix: Buffer, cipher: string | undefined] {
  const parts = prefix.toString().split(':', 4);
  return [Buffer.from(`${parts.join(':')}:`), ciphers.get(parts[2] ?? '')];
}

function startsWith(bytes: Uint8Array, prefix: Uint8Array): boolean {
  return bytes.length >= prefix.length && Buffer.compare(bytes.subarray(0, prefix.length), prefix) === 0;
}
