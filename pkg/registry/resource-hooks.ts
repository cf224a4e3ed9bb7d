import type { ApiObject } from '../apimachinery/meta/object.ts';
import { StoreUnavailableError } from '../storage/store-errors.ts';

/** What was taken for a write: exactly one of the two is called. */
export interface Reservation {
  /**
   * Called just before the write. Throws when it has taken so long to get there that others may have been given what
   * was taken.
   */
  confirm?(): Promise<void> | void;
  /** The write is stored. */
  commit(): Promise<void> | void;
  /** The write did not happen; gives back what was taken. */
  rollback(): Promise<void> | void;
}

/**
 * What a resource does around its writes beyond its own object, such as taking a cluster IP. Runs on hub objects, after
 * admission and before validation; may change `object`; throws a StatusError to refuse. Updates of subresources do not
 * pass here.
 */
export interface ResourceHooks {
  beginCreate?(object: ApiObject, dryRun: boolean): Promise<Reservation | undefined>;
  beginUpdate?(object: ApiObject, old: ApiObject, dryRun: boolean): Promise<Reservation | undefined>;
  /** After an object is gone from the store. Failures are the hook's own to repair later. */
  afterDelete?(object: ApiObject): Promise<void>;
}

/**
 * Gives back what a failed write took. A write whose outcome is not known keeps it: the object may be there and hold
 * it.
 */
export async function rollBack(reservation: Pick<Reservation, 'rollback'> | undefined, error: unknown): Promise<void> {
  if (error instanceof StoreUnavailableError && error.ambiguous) return;
  await reservation?.rollback();
}
