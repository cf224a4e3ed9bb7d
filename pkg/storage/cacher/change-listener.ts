import type { ApiObject } from '../../apimachinery/meta/object.ts';
import type { CachedObject } from './cached-object.ts';

/**
 * Follows one resource inside this process, for an index (roles, the objects that a node's pods refer to). Called by
 * the feed, in its order and in its turn: implementations are quick and do not throw. Objects are shared and must not
 * be changed.
 */
export interface ChangeListener<T extends ApiObject = ApiObject> {
  /** Everything was loaded again: discard what was known before. */
  reset(objects: Iterable<CachedObject<T>>): void;
  /**
   * One object was written (`removed` false; `object` is the new state) or is gone (`object` is the last state).
   * `previous` is the state before, undefined for a new object; its decoded form is dropped after the call.
   */
  changed(object: CachedObject<T>, removed: boolean, previous: CachedObject<T> | undefined): void;
  /**
   * The last call: the resource is no longer served from this cache, since it was removed or is served in another form.
   * Without this method the listener goes on with the cache of the other form, or is reset to nothing.
   */
  closed?(): void;
}
