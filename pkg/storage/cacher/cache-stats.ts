import { DurationCounts } from '../../apimachinery/collections/duration-counts.ts';

/** Upper bounds of the size buckets of watch events, bytes: those of a stock server. */
export const eventSizeBounds: readonly number[] = Array.from({ length: 8 }, (_, i) => 1024 * 2 ** i);

/** Upper bounds of the waits of reads, seconds: those of a stock server. */
const readWaitBounds: readonly number[] = [0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3];

const watchListBounds: readonly number[] = [0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 2, 4, 6, 8, 10, 15, 20, 30, 45, 60];

/** The scope of a watch: everything, a namespace, one object. */
export type WatchScope = 'cluster' | 'namespace' | 'resource';

/** Lists answered from one place, and the objects they visited. */
export interface ListStats {
  lists: number;
  /** Objects read. */
  fetched: number;
  /** Objects compared with selectors. */
  evaluated: number;
  returned: number;
}

/** What one resource's cache did since the server started. Metrics read it; counting must cost next to nothing. */
export class CacheStats {
  /** Changes that the feed brought. */
  events = 0;
  /** Complete loads. */
  loads = 0;
  /** Events that a watch began with: what existed, and what it had missed. */
  initialEvents = 0;
  /** Events queued for watchers, once per watcher: how many, and their bytes. */
  deliveries = 0;
  deliveredBytes = 0;
  /** Deliveries by size: one place per bound and one for what exceeds them all. */
  readonly deliveriesBySize: number[] = Array.from({ length: eventSizeBounds.length + 1 }, () => 0);
  /** Lists answered from memory, the first objects of watches among them. */
  readonly cacheLists: ListStats = { lists: 0, fetched: 0, evaluated: 0, returned: 0 };
  readonly storeLists: ListStats = { lists: 0, fetched: 0, evaluated: 0, returned: 0 };

  /** How long reads waited for the cache to reach the revision they need. */
  readonly readWaits = new DurationCounts(readWaitBounds);
  /** How long watches took to send the initial objects, for watches that mark their end; by scope. */
  readonly watchLists: Readonly<Record<WatchScope, DurationCounts>> = {
    cluster: new DurationCounts(watchListBounds),
    namespace: new DurationCounts(watchListBounds),
    resource: new DurationCounts(watchListBounds),
  };
  /** Reads of the newest state, by where their answer came from. */
  readonly consistentReads = { fromCache: 0, fromStore: 0 };

  /** An event of `bytes` goes to this many watchers. */
  delivered(bytes: number, watchers: number): void {
    let i = 0;
    while (i < eventSizeBounds.length && bytes > eventSizeBounds[i]!) i++;
    this.deliveriesBySize[i]! += watchers;
    this.deliveries += watchers;
    this.deliveredBytes += bytes * watchers;
  }
}

/** Counts a finished list. */
export function countList(stats: ListStats, fetched: number, returned: number, selected: boolean): void {
  stats.lists++;
  stats.fetched += fetched;
  if (selected) stats.evaluated += fetched;
  stats.returned += returned;
}
