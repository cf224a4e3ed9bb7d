/**
 * One watch of a key range on one connection to one member. It joins fragments and copies what it delivers out of the
 * messages; it does not reconnect. `http2-watch.ts` and `etcd3-watch.ts` implement it.
 */
import type { StoreEvent } from '../store.ts';
import type { AnswerHeader } from './transport.ts';

export interface WatchRange {
  readonly key: Uint8Array;
  readonly end: Uint8Array;
  /** First revision to deliver, inclusive. */
  readonly startRevision: number;
  /** Length of the prefix that is removed from keys in events: the store's prefix. */
  readonly prefixBytes: number;
}

/** Called in the order in which the server sent. After `onEnd` nothing is called. */
export interface WatchListener {
  readonly onCreated: (header: AnswerHeader) => void;
  /** All changes of one or more whole revisions. */
  readonly onEvents: (events: StoreEvent[]) => void;
  /** Nothing below this revision is still to come. */
  readonly onProgress: (revision: number) => void;
  readonly onEnd: (end: WatchEnd) => void;
}

export type WatchEnd =
  | { readonly kind: 'compacted'; readonly compactRevision: number }
  /** The server ended the watch, for instance for lack of permission. */
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'broken'; readonly cause: unknown };

export interface WatchConnection {
  pause(): void;
  resume(): void;
  close(): void;
  /** Closes a watch that has fallen silent: the next should use another member. */
  abandon(): void;
}

export type OpenWatch = (range: WatchRange, listener: WatchListener) => WatchConnection;
