import type { ValueTransformer } from '../value-transformer.ts';

/** A key service that keeps the key with which the keys of values are encrypted. */
export interface KmsProvider {
  readonly name: string;
  readonly transformer: ValueTransformer;
  /** Rejects when the service does not answer, or not well. For health checks. */
  check(): Promise<void>;
  close(): void;
}
