import { ValueTransformError, type OpenedValue, type ValueTransformer } from './value-transformer.ts';

/** What every encrypted value in a store begins with. */
export const ENCRYPTED_PREFIX = 'k8s:enc:';
const encryptedPrefix = Buffer.from(ENCRYPTED_PREFIX);

/** A provider with one key, and what its values begin with: `k8s:enc:aescbc:v1:key1:`; empty for values as they are. */
export interface PrefixedTransformer {
  readonly prefix: string;
  readonly transformer: ValueTransformer;
}

/** True for what some provider wrote. */
export function isEncrypted(stored: Uint8Array): boolean {
  return startsWith(stored, encryptedPrefix);
}

/** Providers in order: the first writes; each reads the values with its prefix. */
export class PrefixedTransformers implements ValueTransformer {
  private readonly transformers: readonly { prefix: Buffer; transformer: ValueTransformer }[];

  /** At least one. */
  constructor(transformers: readonly PrefixedTransformer[]) {
    this.transformers = transformers.map(({ prefix, transformer }) => ({ prefix: Buffer.from(prefix), transformer }));
  }

  open(stored: Uint8Array, path: string): Promise<OpenedValue> | OpenedValue {
    for (const [position, { prefix, transformer }] of this.transformers.entries()) {
      if (prefix.length === 0 ? isEncrypted(stored) : !startsWith(stored, prefix)) continue;
      const opened = transformer.open(prefix.length === 0 ? stored : stored.subarray(prefix.length), path);
      if (position === 0) return opened;
      return opened instanceof Promise ? opened.then(asStale) : asStale(opened);
    }
    throw new ValueTransformError('no configured provider and key fits the stored value');
  }

  seal(value: Uint8Array, path: string): Promise<Uint8Array> | Uint8Array {
    const { prefix, transformer } = this.transformers[0]!;
    const sealed = transformer.seal(value, path);
    if (prefix.length === 0) return sealed;
    return sealed instanceof Promise ? sealed.then((bytes) => Buffer.concat([prefix, bytes])) : Buffer.concat([prefix, sealed]);
  }
}

function asStale({ value }: OpenedValue): OpenedValue {
  return { value, stale: true };
}

function startsWith(bytes: Uint8Array, prefix: Uint8Array): boolean {
  return bytes.length >= prefix.length && Buffer.compare(bytes.subarray(0, prefix.length), prefix) === 0;
}
