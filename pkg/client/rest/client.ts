import type { Resource } from '../../api/resource.ts';
import type { ApiObject } from '../../apimachinery/meta/object.ts';

/** Names one object; `namespace` is empty for resources without. */
export interface ObjectName {
  readonly namespace?: string;
  readonly name: string;
}

/** Which objects of a resource; every namespace where none is named. */
export interface Selection {
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}

export interface ListOptions extends Selection {
  readonly limit?: number;
  readonly continue?: string;
  /** Absent: the newest state. `0`: any. */
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: 'Exact' | 'NotOlderThan';
}

export interface WatchOptions extends Selection {
  readonly resourceVersion?: string;
  readonly allowWatchBookmarks?: boolean;
  /** Begins with the state as ADDED events and a bookmark that says where it ends (KEP-3157). */
  readonly sendInitialEvents?: boolean;
  readonly timeoutSeconds?: number;
}

export interface WriteOptions {
  readonly dryRun?: boolean;
  readonly fieldManager?: string;
  /** Empty: the object itself. */
  readonly subresource?: string;
}

export interface DeleteOptions {
  readonly gracePeriodSeconds?: number;
  readonly propagationPolicy?: 'Orphan' | 'Background' | 'Foreground';
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
  readonly dryRun?: boolean;
}

export type PatchType = 'json' | 'merge' | 'strategic';

export interface ObjectList<T extends ApiObject> {
  /** Revision of the state that the list shows. */
  readonly resourceVersion: string;
  /** Where the next chunk begins; absent behind the last one. */
  readonly continue?: string;
  readonly items: readonly T[];
}

export type WatchEvent<T extends ApiObject> =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: T }
  /** No object changed up to this revision that the watch has not shown; `initial`: the initial events end here. */
  | { readonly type: 'BOOKMARK'; readonly resourceVersion: string; readonly initial: boolean };

/**
 * Ends when the server ends it; rejects with a `StatusError` where it says why (410: list again). Ended by the signal
 * it just ends.
 */
export type Watch<T extends ApiObject> = AsyncIterable<WatchEvent<T>>;

/** What a call may be ended by; it rejects with the signal's reason then. */
export interface CallOptions {
  readonly signal?: AbortSignal;
}

export interface DocumentOptions extends CallOptions {
  /** Media types of JSON, best first. Default `application/json`. */
  readonly accept?: string;
  /** The entity tag of what the caller has (RFC 9110, section 13.1.2). */
  readonly ifNoneMatch?: string;
}

/** What a path has, with its entity tag where the server gives one. */
export interface TaggedDocument<R> {
  readonly body: R;
  readonly etag?: string;
}

/**
 * The object API for programs: every call is one request, by any transport, as the client's user.
 *
 * Returned objects are shared and must not be changed; copy before (`deepCopy`). Objects that are passed are
 * not changed and not kept. Every object has its `apiVersion` and `kind`, also those of lists and watches. Fails with
 * `StatusError` for refusals of the server, with `ConnectionError` where there was no answer.
 */
export interface Client {
  get<T extends ApiObject>(resource: Resource<T>, name: ObjectName, options?: CallOptions): Promise<T>;
  list<T extends ApiObject>(resource: Resource<T>, options?: ListOptions & CallOptions): Promise<ObjectList<T>>;
  watch<T extends ApiObject>(resource: Resource<T>, options?: WatchOptions & CallOptions): Watch<T>;
  create<T extends ApiObject>(resource: Resource<T>, object: T, options?: WriteOptions & CallOptions): Promise<T>;
  /** PUT of the object, or of the subresource that `options` names; the object brings its name. */
  update<T extends ApiObject>(resource: Resource<T>, object: T, options?: WriteOptions & CallOptions): Promise<T>;
  patch<T extends ApiObject>(
    resource: Resource<T>,
    name: ObjectName,
    type: PatchType,
    patch: unknown,
    options?: WriteOptions & CallOptions,
  ): Promise<T>;
  delete<T extends ApiObject>(
    resource: Resource<T>,
    name: ObjectName,
    options?: DeleteOptions & CallOptions,
  ): Promise<void>;
  deleteCollection<T extends ApiObject>(
    resource: Resource<T>,
    selection: Selection,
    options?: DeleteOptions & CallOptions,
  ): Promise<void>;
  /** POST or GET of a subresource whose body is of another kind: `eviction`, `binding`, `token`, `scale`. */
  subresource<R>(
    resource: Resource,
    name: ObjectName,
    subresource: string,
    call: SubresourceCall,
    options?: CallOptions,
  ): Promise<R>;
  /** GET of a path that is no resource's, such as `/apis`; parsed JSON. */
  getPath<R>(path: string, options?: CallOptions): Promise<R>;
  /** The same in a form of the caller's choice; undefined where it still has the tag `ifNoneMatch`. */
  getDocument<R>(path: string, options?: DocumentOptions): Promise<TaggedDocument<R> | undefined>;
}

export type SubresourceCall = { readonly method: 'GET' } | { readonly method: 'POST' | 'PUT'; readonly body: object };

/** No answer came: the connection failed, or broke off. What a write has done is not known. */
export class ConnectionError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ConnectionError';
  }
}
