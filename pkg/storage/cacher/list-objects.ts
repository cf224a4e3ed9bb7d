import type { ApiObject } from '../../apimachinery/meta/object.ts';
import type { CachedObject } from './cached-object.ts';
import { countList } from './cache-stats.ts';
import type { Cacher } from './cacher.ts';
import type { ObjectTree, ResourceCache } from './resource-cache.ts';
import { TimeSlice } from '../../apimachinery/time-slice.ts';

/** Which objects to list. */
export interface ListQuery {
  /** Store key prefix: the resource's or a namespace's. */
  readonly scope: string;
  readonly matches?: (object: CachedObject) => boolean;
  /** Most objects in the answer; 0: all. */
  readonly limit: number;
  /** Only keys at or after this one. */
  readonly startKey?: string;
}

/** One consistent chunk. */
export interface ListChunk<T extends ApiObject = ApiObject> {
  readonly revision: number;
  readonly objects: readonly CachedObject<T>[];
  /** Where the next chunk starts; undefined when this is the last. */
  readonly nextKey?: string;
  /** Objects after this chunk; known only without selectors. */
  readonly remaining?: number;
}

/** Objects visited between two readings of the clock, without a selector and with one. */
const OBJECTS_PER_LOOK = 1024;
const MATCHES_PER_LOOK = 16;

/** The newest state of the caches. Chunked lists keep their snapshot for the chunks that follow. */
export function listCurrent(cacher: Cacher, cache: ResourceCache, query: ListQuery): Promise<ListChunk> {
  const tree = cache.snapshot();
  const revision = cacher.revision;
  return listTree(cache, tree, revision, query).then((chunk) => {
    if (chunk.nextKey !== undefined) cacher.snapshots.keep(cache.prefix, revision, tree);
    return chunk;
  });
}

/**
 * The state at a past revision: from the snapshot of a chunked list, or from the store's history (throws
 * `CompactedError`).
 */
export function listAt(cacher: Cacher, cache: ResourceCache, revision: number, query: ListQuery): Promise<ListChunk> {
  const kept = cacher.snapshots.get(cache.prefix, revision);
  if (kept !== undefined) return listTree(cache, kept, revision, query);
  return listStore(cacher, cache, revision, query);
}

async function listTree(
  cache: ResourceCache,
  tree: ObjectTree,
  revision: number,
  query: ListQuery,
): Promise<ListChunk> {
  const objects: CachedObject[] = [];
  let looked = 0;
  let nextKey: string | undefined;
  const end = scopeEnd(query.scope);
  const slice = new TimeSlice();
  const perLook = query.matches === undefined ? OBJECTS_PER_LOOK : MATCHES_PER_LOOK;
  for (const [key, object] of tree.entries(query.startKey ?? query.scope)) {
    if (key >= end) break;
    if (query.limit > 0 && objects.length === query.limit) {
      nextKey = key;
      break;
    }
    looked++;
    if (query.matches === undefined || query.matches(object)) objects.push(object);
    if (looked % perLook === 0 && slice.over) await slice.next();
  }
  countList(cache.stats.cacheLists, looked, objects.length, query.matches !== undefined);
  if (nextKey === undefined) return { revision, objects };
  return {
    revision,
    objects,
    nextKey,
    ...(query.matches === undefined ? { remaining: tree.forRange(nextKey, end, false) } : {}),
  };
}

/** Keys read from the store per page. */
const STORE_PAGE = 500;

/** Straight from the store: at `revision`, or the newest state when it is 0. */
export async function listStore(
  cacher: Cacher,
  cache: ResourceCache,
  revision: number,
  query: ListQuery,
): Promise<ListChunk> {
  const objects: CachedObject[] = [];
  let looked = 0;
  const finish = (chunk: ListChunk): ListChunk => {
    countList(cache.stats.storeLists, looked, objects.length, query.matches !== undefined);
    return chunk;
  };
  let at = revision === 0 ? undefined : revision;
  // `after` is exclusive while startKey is inclusive: begin just below it.
  let after = query.startKey === undefined ? undefined : keyBefore(query.startKey);
  const slice = new TimeSlice();
  for (;;) {
    const page = await cacher.store.range(query.scope, {
      limit: STORE_PAGE,
      ...(at === undefined ? {} : { revision: at }),
      ...(after === undefined ? {} : { after }),
    });
    at ??= page.revision;
    for (const item of page.items) {
      if (query.startKey !== undefined && item.key < query.startKey) continue;
      if (query.limit > 0 && objects.length === query.limit)
        return finish({ revision: at, objects, nextKey: item.key });
      looked++;
      const object = cache.makeTransient(item.key, item.value, item.modRevision);
      if (query.matches === undefined || query.matches(object)) objects.push(object);
      if (looked % MATCHES_PER_LOOK === 0 && slice.over) await slice.next();
    }
    if (!page.more) return finish({ revision: at, objects });
    after = page.items.at(-1)!.key;
  }
}

/** The first key outside `scope`: after all keys that begin with it, or, for an object's whole key, after that key. */
export function scopeEnd(scope: string): string {
  if (!scope.endsWith('/')) return `${scope}\0`;
  return scope.slice(0, -1) + String.fromCharCode(scope.charCodeAt(scope.length - 1) + 1);
}

/** A key below `key` with no valid object key between them: names never contain control characters. */
function keyBefore(key: string): string {
  const last = key.charCodeAt(key.length - 1);
  return `${key.slice(0, -1)}${String.fromCharCode(last - 1)}\uffff`;
}
