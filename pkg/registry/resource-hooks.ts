import type { ApiObject } from '../apimachinery/meta/object.ts';

/** The reservations of a write: exactly one of `commit` and `rollback` is called. */
export interface Reservation {
  /** Called just before the write. Throws when it took so long that the reservation may have been released. */
  confirm?(): Promise<void> | void;
  /** The write is stored. */
  commit(): Promise<void> | void;
  /** The write did not happen; releases the reservations. */
  rollback(): Promise<void> | void;
}

/** The effects of a resource's writes beyond its own object, such as taking a cluster IP. Sees hub objects. */
export interface ResourceHooks<T extends ApiObject = ApiObject> {
  /**
   * After mutating admission and before validation; may change `object`; throws a StatusError to refuse. `old` is
   * undefined for creates. Not called for deletes and updates of subresources.
   */
  reserve?(object: T, old: T | undefined, dryRun: boolean): Promise<Reservation | undefined>;
  /**
   * After the write is stored, except for dry runs. `object` is undefined where the object was removed from the store,
   * and `old` is its last state then; `old` is undefined for a new one. Changes neither. The hook repairs its failures
   * later.
   */
  after?(object: T | undefined, old: T | undefined): Promise<void>;
}
