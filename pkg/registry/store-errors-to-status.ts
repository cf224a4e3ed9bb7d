import type { GroupResource } from '../apimachinery/errors/status-error.ts';
import {
  badRequest,
  internalError,
  requestEntityTooLarge,
  resourceExpired,
  serverTimeout,
  StatusError,
} from '../apimachinery/errors/status-error.ts';
import { ValueTransformError } from '../storage/encryption/value-transformer.ts';
import {
  CompactedError,
  FutureRevisionError,
  InvalidKeyError,
  StoreFullError,
  StoreUnavailableError,
  ValueTooLargeError,
} from '../storage/store-errors.ts';

/** The one place where errors of a store become answers. They contain no internal text. */
export function toStatusError(error: unknown, resource: GroupResource, verb: string): unknown {
  if (error instanceof StatusError) return error;
  if (error instanceof CompactedError) return resourceExpired('The resourceVersion for the provided list is too old.');
  if (error instanceof FutureRevisionError) return internalError('the requested revision is in the future');
  if (error instanceof ValueTooLargeError) return requestEntityTooLarge('the object is too large for the store');
  if (error instanceof InvalidKeyError) return badRequest('the name cannot be stored');
  // As when etcd is out of space: an immediate retry would not help.
  if (error instanceof StoreFullError)
    return Object.assign(internalError('the store has no space left'), { cause: error });
  if (error instanceof StoreUnavailableError) return serverTimeout(resource, verb, 1);
  // A value could not be encrypted: a client that waits for its key service should see which one.
  if (error instanceof ValueTransformError) return internalError(error.message);
  return error;
}

/** Whether a write failed since the store has no room, in the error of the store or of `toStatusError`. */
export function isStoreFull(error: unknown): boolean {
  return error instanceof StoreFullError || (error instanceof Error && error.cause instanceof StoreFullError);
}
