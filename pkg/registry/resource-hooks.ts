import type { ApiObject } from '../apimachinery/meta/object.ts';

/** What was taken for a write: exactly one of `commit` and `rollback` is called. */
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

/** What a resource does around its writes beyond its own object, such as taking a cluster IP. Sees hub objects. */
export interface ResourceHooks<T extends ApiObject = ApiObject> {
  /**
   * After mutating admission and before validation; may change `object`; throws a StatusError to refuse. `old` is
   * undefined for creates. Neither deletes nor updates of subresources pass here.
   */
  reserve?(object: T, old: T | undefined, dryRun: boolean): Promise<Reservation | undefined>;
  /**
   * After the write is stored, except for dry runs. `object` is undefined where the object is gone from the store, and
   * `old` is its last state then; `old` is undefined where it is new. Changes neither. Failures are the hook's own to
   * repair later.
   */
  after?(object: T | undefined, old: T | undefined): Promise<void>;
}
