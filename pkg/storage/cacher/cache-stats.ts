/** Upper bounds of the size buckets of watch events, bytes: those of a stock server. */
export const eventSizeBounds: readonly number[] = Array.from({ length: 8 }, (_, i) => 1024 * 2 ** i);

/** Lists answered from one place, and the objects they touched. */
export interface ListStats {
  lists: number;
  /** Objects read. */
  fetched: number;
  /** Objects held against selectors. */
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
