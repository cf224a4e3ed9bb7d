import { WatchSession, type WatchRequest, type WatchStart } from '../storage/cacher/watch-session.ts';
import type { ResourceStore } from './resource-store.ts';

/** Where a watch begins for its client (`resourceVersion` and `sendInitialEvents`). */
export interface WatchOrigin {
  /** Undefined: at a fresh revision; 0: with any state of the cache. */
  readonly revision: number | undefined;
  readonly sendInitialEvents: boolean | undefined;
  readonly allowBookmarks: boolean;
}

/** Store key, or prefix of keys, that a watch selects; `name`: of the one object that it selects. */
export function watchScope(store: ResourceStore, namespace: string, name: string | undefined): string {
  const isSingle = name !== undefined && (namespace !== '' || !store.definition.namespaced);
  return isSingle ? store.keyOf(namespace, name) : store.scopeOf(namespace);
}

/** Where the watch begins. Without a version: with what exists, unless the client has it already. */
export async function watchStart({ cacher }: ResourceStore, origin: WatchOrigin): Promise<WatchStart> {
  const { revision, sendInitialEvents } = origin;
  const initial: WatchStart = {
    kind: 'initial',
    endBookmark: sendInitialEvents === true && origin.allowBookmarks,
  };
  if (revision === undefined) await cacher.fresh();
  if (revision === undefined || revision === 0)
    return sendInitialEvents === false ? { kind: 'after', revision: cacher.revision } : initial;
  if (sendInitialEvents !== true) return { kind: 'after', revision };
  await cacher.reached(revision);
  return initial;
}

/** A watch of the resource, which its caller runs and stops. */
export function watchObjects(store: ResourceStore, request: WatchRequest): WatchSession {
  return new WatchSession(store.cacher, store.cache, request);
}
