import type { ResourceCache } from '../../storage/cacher/resource-cache.ts';
import type { WatchSession } from '../../storage/cacher/watch-session.ts';
import { defaultWatchLimits, UserWatches, type WatchLimits, type WatchPlace } from './user-watches.ts';

/** One open watch. */
export interface OpenWatch {
  readonly session: WatchSession;
  readonly place: WatchPlace;
  /** Bytes that the client has not taken. */
  readonly bufferedBytes: number;
  /** Sends a bookmark, where the client allows them. */
  bookmark(): void;
  end(): void;
  /** Ends it with a Status as its last event. */
  endWith(status: object): void;
}

/** Time between bookmarks on a quiet watch, milliseconds. */
const BOOKMARK_INTERVAL_MS = 60_000;
/** Time between two looks at what clients have not taken, milliseconds. */
const SWEEP_INTERVAL_MS = 1000;
/** Watches looked at in one turn of the event loop. */
const WATCHES_PER_TURN = 1000;

/**
 * All open watches of a server: their places, one timer for their bookmarks and one for their bytes, one place to end
 * them.
 */
export class WatchSessions {
  private readonly open = new Set<OpenWatch>();
  private readonly users: UserWatches;
  private timers: readonly NodeJS.Timeout[] = [];
  private sweeping = false;

  constructor(limits: WatchLimits = defaultWatchLimits) {
    this.users = new UserWatches(limits);
  }

  /** Takes a place for a watch of a user, whose selectors take `bytes`; throws 429. */
  place(user: string, bytes: number): WatchPlace {
    return this.users.take(user, bytes);
  }

  add(watch: OpenWatch): void {
    this.open.add(watch);
    if (this.timers.length > 0) return;
    this.timers = [
      setInterval(() => this.bookmarkAll(), BOOKMARK_INTERVAL_MS),
      setInterval(() => void this.sweep(), SWEEP_INTERVAL_MS),
    ];
    for (const timer of this.timers) timer.unref();
  }

  remove(watch: OpenWatch): void {
    this.open.delete(watch);
    if (this.open.size > 0) return;
    for (const timer of this.timers) clearInterval(timer);
    this.timers = [];
  }

  get size(): number {
    return this.open.size;
  }

  /** In slices: thousands of watchers must not fill one turn. */
  private bookmarkAll(): void {
    const all = [...this.open];
    const next = (): void => {
      for (const watch of all.splice(0, 200)) watch.bookmark();
      if (all.length > 0) setImmediate(next);
    };
    next();
  }

  /** Ends watches of users whose clients have not taken too much, those with the most first; they list again. */
  async sweep(): Promise<void> {
    if (this.sweeping) return;
    this.sweeping = true;
    const waiting = new Map<string, OpenWatch[]>();
    let looked = 0;
    for (const watch of this.open) {
      if (watch.bufferedBytes > 0) {
        const ofUser = waiting.get(watch.place.user);
        if (ofUser === undefined) waiting.set(watch.place.user, [watch]);
        else ofUser.push(watch);
      }
      if (++looked % WATCHES_PER_TURN === 0) await new Promise(setImmediate);
    }
    for (const [user, watches] of waiting) this.endLargest(watches, this.users.bytesLeft(user));
    this.sweeping = false;
  }

  private endLargest(watches: readonly OpenWatch[], bytesMax: number): void {
    const sizes = watches.map((watch) => ({ watch, bytes: watch.bufferedBytes }));
    let excess = sizes.reduce((sum, { bytes }) => sum + bytes, 0) - bytesMax;
    if (excess <= 0) return;
    for (const { watch, bytes } of sizes.sort((a, b) => b.bytes - a.bytes)) {
      watch.end();
      excess -= bytes;
      if (excess <= 0) return;
    }
  }

  /** Ends the watches of one resource alone, in slices: each learns why. */
  async endOf(cache: ResourceCache, status: object): Promise<void> {
    let looked = 0;
    for (const watch of this.open) {
      if (watch.session.cache === cache) watch.endWith(status);
      if (++looked % WATCHES_PER_TURN === 0) await new Promise(setImmediate);
    }
  }

  endAll(): void {
    for (const watch of this.open) watch.end();
  }
}
