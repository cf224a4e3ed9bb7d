import type { WatchSession } from '../storage/cacher/watch-session.ts';

/** One open watch. */
export interface OpenWatch {
  readonly session: WatchSession;
  /** Sends a bookmark, where the client allows them. */
  bookmark(): void;
  end(): void;
}

/** Time between bookmarks on a quiet watch, milliseconds. */
const BOOKMARK_INTERVAL_MS = 60_000;

/** All open watches of a server: one timer for their bookmarks, one place to end them. */
export class WatchSessions {
  private readonly open = new Set<OpenWatch>();
  private timer: NodeJS.Timeout | undefined;

  add(watch: OpenWatch): void {
    this.open.add(watch);
    if (this.timer !== undefined) return;
    this.timer = setInterval(() => this.bookmarkAll(), BOOKMARK_INTERVAL_MS);
    this.timer.unref();
  }

  remove(watch: OpenWatch): void {
    this.open.delete(watch);
    if (this.open.size > 0 || this.timer === undefined) return;
    clearInterval(this.timer);
    this.timer = undefined;
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

  endAll(): void {
    for (const watch of this.open) watch.end();
  }
}
