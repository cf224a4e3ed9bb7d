import type { ApiObject } from '../apimachinery/meta/object.ts';
import type { CachedObject } from '../storage/cacher/cached-object.ts';
import type { ChangeListener } from '../storage/cacher/change-listener.ts';

/**
 * Keeps an index of one resource. Called in the order of the store's changes; must be quick and not throw. Objects are
 * shared and must not be changed.
 */
export interface ObjectIndex<T extends ApiObject> {
  /** Clears the index: all existing objects follow by `put`. */
  clear(): void;
  /** An object is new or has changed; `key` is its identity. */
  put(key: string, object: T): void;
  remove(key: string): void;
  /** The object cannot be decoded. Without this method it is removed: a broken role grants nothing. */
  unreadable?(key: string): void;
}

/** Passes decoded objects to an index. */
export function followObjects<T extends ApiObject>(
  index: ObjectIndex<T>,
  onError: (error: unknown) => void,
): ChangeListener<T> {
  const put = (cached: CachedObject<T>): void => {
    let object: T;
    try {
      object = cached.object();
    } catch (error) {
      onError(error);
      if (index.unreadable === undefined) index.remove(cached.key);
      else index.unreadable(cached.key);
      return;
    }
    index.put(cached.key, object);
  };
  return {
    reset(objects) {
      index.clear();
      for (const cached of objects) put(cached);
    },
    changed(cached, removed) {
      if (removed) index.remove(cached.key);
      else put(cached);
    },
  };
}
