import type { ValueTransformer } from '../value-transformer.ts';

/** A key service with the key that encrypts the data keys of values. */
export interface KmsProvider {
  readonly name: string;
  readonly transformer: ValueTransformer;
  /** Rejects when the service does not answer, or is unhealthy. For health checks. */
  check(): Promise<void>;
  close(): void;
}
