/**
 * Turns etcd's errors into the errors of the Store contract. The texts are those of etcd's rpctypes, the same since
 * 3.0.
 */
import { CompactedError, FutureRevisionError, StoreUnavailableError, ValueTooLargeError } from '../store-errors.ts';
import { EtcdCallError, grpcStatus } from './etcd-call-error.ts';

export interface ErrorFacts {
  /** The revision below which etcd has no history. */
  readonly compactRevision: () => Promise<number>;
  readonly currentRevision: () => Promise<number>;
}

/** The store error for a failed call; any other error than `EtcdCallError` is returned unchanged. Never rejects. */
export async function toStoreError(error: unknown, facts: ErrorFacts): Promise<unknown> {
  if (!(error instanceof EtcdCallError)) return error;
  const { code, message } = error;
  if (code === grpcStatus.outOfRange && message.includes('has been compacted')) {
    // The revision only completes the message: without it the error is the same.
    return new CompactedError(await facts.compactRevision().catch(() => 0));
  }
  if (code === grpcStatus.outOfRange && message.includes('is a future revision')) {
    // As above.
    return new FutureRevisionError(await facts.currentRevision().catch(() => 0));
  }
  const isTooLarge =
    (code === grpcStatus.invalidArgument && message.includes('request is too large')) ||
    (code === grpcStatus.resourceExhausted && message.includes('larger than max'));
  if (isTooLarge) return new ValueTooLargeError(message);
  return new StoreUnavailableError(`etcd: ${message}`, { ambiguous: error.mayHaveHappened, cause: error });
}
