import type { ApiObject } from '../apimachinery/meta/object.ts';
import { notFound, resourceVersionTooLarge } from '../apimachinery/errors/status-error.ts';
import type { CachedObject } from '../storage/cacher/cached-object.ts';
import { readThrough } from '../storage/cacher/cacher.ts';
import { listAt, listCurrent, listStore, type ListChunk, type ListQuery } from '../storage/cacher/list-objects.ts';
import type { ResourceStore } from './resource-store.ts';

/** How fresh an answer must be (`resourceVersion` and `resourceVersionMatch`). */
export type Freshness =
  /** No write acknowledged before the request is missing. */
  | { readonly kind: 'consistent' }
  /** Any state of the cache. */
  | { readonly kind: 'any' }
  /** At least this revision. */
  | { readonly kind: 'at-least'; readonly revision: number }
  /** This very revision. */
  | { readonly kind: 'exact'; readonly revision: number };

/**
 * Wait of `at-least` requests for a revision that is not there yet, milliseconds; then an error in the words that
 * clients expect.
 */
const FUTURE_WAIT_MS = 3000;

/** One object; throws 404 where it is absent and 504 where the requested revision does not come. */
export async function getObject<T extends ApiObject>(
  store: ResourceStore<T>,
  namespace: string,
  name: string,
  freshness: Freshness,
): Promise<CachedObject<T>> {
  const key = store.keyOf(namespace, name);
  const found = (await fromCache(store, freshness))
    ? store.cache.get(key)
    : await readThrough(store.cacher, store.cache, key);
  if (found === undefined) throw notFound(store.groupResource, name);
  return found;
}

/** A list or its first chunk. Throws 504, `CompactedError`, `FutureRevisionError`. */
export function listObjects<T extends ApiObject>(
  store: ResourceStore<T>,
  query: ListQuery,
  freshness: Freshness,
): Promise<ListChunk<T>> {
  // The cacher lists objects of any kind: those of this store.
  return listAny(store, query, freshness) as Promise<ListChunk<T>>;
}

async function listAny(store: ResourceStore, query: ListQuery, freshness: Freshness): Promise<ListChunk> {
  if (freshness.kind === 'exact') {
    await fromCache(store, { kind: 'at-least', revision: freshness.revision });
    if (freshness.revision !== store.cacher.revision)
      return listAt(store.cacher, store.cache, freshness.revision, query);
    return listCurrent(store.cacher, store.cache, query);
  }
  if (await fromCache(store, freshness)) return listCurrent(store.cacher, store.cache, query);
  return listStore(store.cacher, store.cache, 0, query);
}

/** A later chunk of a list that began at `revision`. */
export function continueList(store: ResourceStore, query: ListQuery, revision: number): Promise<ListChunk> {
  return listAt(store.cacher, store.cache, revision, query);
}

/** True when the cache may answer; false: read from the store. */
async function fromCache(store: ResourceStore, freshness: Freshness): Promise<boolean> {
  if (freshness.kind === 'any') return store.cacher.ready;
  const { stats } = store.cache;
  const begin = performance.now();
  const isFresh = await (freshness.kind === 'consistent'
    ? store.cacher.fresh()
    : store.cacher.reached(freshness.revision, FUTURE_WAIT_MS));
  stats.readWaits.since(begin);
  if (freshness.kind === 'consistent') stats.consistentReads[isFresh ? 'fromCache' : 'fromStore']++;
  else if (!isFresh) throw resourceVersionTooLarge(freshness.revision, store.cacher.revision, 1);
  return isFresh;
}
