import { CompactedError } from '../store-errors.ts';
import type { StoreEvent } from '../store.ts';
import type { Cacher } from './cacher.ts';
import { CachedEvent } from './event-ring.ts';
import { FrameBatch, type Frame } from './frame-batch.ts';
import { listCurrent } from './list-objects.ts';
import type { ResourceCache } from './resource-cache.ts';
import { TimeSlice } from '../../apimachinery/time-slice.ts';
import {
  eventTypeFor,
  frameOf,
  type WatchFormat,
  type WatchGroup,
  type WatchSelection,
  type WatchSink,
} from './watch-group.ts';

/** Where a watch begins. */
export type WatchStart =
  /** With the objects that exist, as ADDED events; then the changes. `endBookmark` marks the end of the former. */
  | { readonly kind: 'initial'; readonly endBookmark: boolean }
  /** With the first change after this revision. */
  | { readonly kind: 'after'; readonly revision: number };

export interface WatchRequest {
  readonly selection: WatchSelection;
  readonly format: WatchFormat;
  readonly start: WatchStart;
  readonly sink: WatchSink;
  /** Called each time that the sink must drain before the session continues. */
  readonly onWaiting?: () => void;
}

/** The revision to start from has left the history. */
export class WatchExpiredError extends Error {
  readonly revision: number;
  readonly oldest: number;
  constructor(revision: number, oldest: number) {
    super(`too old resource version: ${revision} (${oldest})`);
    this.name = 'WatchExpiredError';
    this.revision = revision;
    this.oldest = oldest;
  }
}

/** Events, and about how many bytes of them, that are written before the sink must drain. */
const EVENTS_PER_WRITE = 256;
const BYTES_PER_WRITE = 256 * 1024;

/**
 * One watcher from its start to its end: initial objects, then missed changes, in slices that respect back-pressure,
 * then a member of its group. Gap-free: it joins the group in the same turn in which it has seen every event of the
 * ring.
 */
export class WatchSession {
  private readonly cacher: Cacher;
  readonly cache: ResourceCache;
  private readonly request: WatchRequest;
  private group: WatchGroup | undefined;
  private stopped = false;
  private position = 0;

  constructor(cacher: Cacher, cache: ResourceCache, request: WatchRequest) {
    this.cacher = cacher;
    this.cache = cache;
    this.request = request;
  }

  /** Resolves when the watcher is live (or its sink closed); throws `WatchExpiredError` where the start is too old. */
  async run(): Promise<void> {
    const { start } = this.request;
    if (start.kind === 'initial') await this.sendInitial(start.endBookmark);
    else this.position = start.revision;
    while (!this.ended) {
      if (this.position > this.cacher.revision && !(await this.cacher.reached(this.position)))
        throw new WatchExpiredError(this.position, this.cacher.revision);
      // Its resource was removed or replaced: the client lists again.
      if (this.cache.closed) throw new WatchExpiredError(this.position, this.cacher.revision);
      const events = this.cache.eventsAfter(this.position, EVENTS_PER_WRITE);
      if (events === undefined) {
        await this.catchUpFromStore();
        continue;
      }
      if (events.length === 0) {
        this.group = this.cache.join(this.request.selection, this.request.format, this.request.sink);
        return;
      }
      await this.send(events);
      this.position = events.at(-1)!.revision;
    }
  }

  stop(): void {
    this.stopped = true;
    if (this.group !== undefined) this.cache.leave(this.group, this.request.sink);
    this.group = undefined;
  }

  /**
   * All changes up to this revision have been written; undefined while some are in flight. The revision of a bookmark.
   */
  get settledRevision(): number | undefined {
    return this.group?.settled === true && this.cache.fanOutBacklog === 0 ? this.cacher.revision : undefined;
  }

  private get ended(): boolean {
    return this.stopped || this.request.sink.closed;
  }

  private async sendInitial(endBookmark: boolean): Promise<void> {
    const { selection, format, sink } = this.request;
    const begin = performance.now();
    const chunk = await listCurrent(this.cacher, this.cache, {
      scope: selection.scope,
      limit: 0,
      ...(selection.matches === undefined ? {} : { matches: selection.matches }),
    });
    await this.write(chunk.objects, (object) => format.frame('ADDED', object));
    if (endBookmark && !this.ended) {
      sink.write(new FrameBatch([format.bookmark(chunk.revision, true)]));
      const scope = !selection.scope.endsWith('/')
        ? 'resource'
        : selection.scope === this.cache.prefix
          ? 'cluster'
          : 'namespace';
      this.cache.stats.watchLists[scope].since(begin);
    }
    this.position = chunk.revision;
  }

  private async send(events: readonly CachedEvent[]): Promise<void> {
    const { selection, format } = this.request;
    await this.write(events, (event) => {
      const type = inScope(event, selection.scope) ? eventTypeFor(event, selection.matches) : undefined;
      return type === undefined ? undefined : frameOf(event, type, format);
    });
    for (const event of events) event.dropFrames();
  }

  /** Writes the frames of the items, in slices, each when the sink has drained the one before. */
  private async write<T>(items: readonly T[], frameFor: (item: T) => Frame | undefined): Promise<void> {
    const { sink } = this.request;
    let frames: Frame[] = [];
    let bytes = 0;
    const slice = new TimeSlice();
    for (const [i, item] of items.entries()) {
      if (this.ended) return;
      if ((i & 15) === 15 && slice.over) await slice.next();
      const frame = frameFor(item);
      if (frame !== undefined) {
        frames.push(frame);
        bytes += frame.length;
        this.cache.stats.initialEvents++;
        this.cache.stats.delivered(frame.length, 1);
      }
      const full = frames.length === EVENTS_PER_WRITE || bytes >= BYTES_PER_WRITE;
      if (frames.length === 0 || (!full && i < items.length - 1)) continue;
      sink.write(new FrameBatch(frames));
      frames = [];
      bytes = 0;
      if (sink.bufferedBytes > 0) {
        this.request.onWaiting?.();
        await sink.drained();
      } else if (i < items.length - 1) await new Promise(setImmediate);
    }
  }

  /** Follows the store's own history until the ring covers the rest; live changes meanwhile come the same way. */
  private async catchUpFromStore(): Promise<void> {
    const stream = this.cacher.store.watch(this.cache.prefix, this.position);
    try {
      for await (const batch of stream) {
        if (this.ended) return;
        await this.send(batch.events.map((e) => this.asCached(e)));
        this.position = batch.revision;
        if (this.cache.eventsAfter(this.position, 1) !== undefined) return;
      }
    } catch (error) {
      if (error instanceof CompactedError) throw new WatchExpiredError(this.position, error.compactRevision);
      throw error;
    } finally {
      stream.close();
    }
  }

  private asCached(event: StoreEvent): CachedEvent {
    const previous =
      event.previous === undefined
        ? undefined
        : this.cache.makeTransient(event.key, event.previous.value, event.previous.modRevision);
    const value = event.type === 'put' ? event.value! : (event.previous?.value ?? new Uint8Array());
    return new CachedEvent(
      event.revision,
      this.cache.makeTransient(event.key, value, event.revision),
      previous,
      event.type === 'delete',
    );
  }
}

function inScope(event: CachedEvent, scope: string): boolean {
  return scope.endsWith('/') ? event.object.key.startsWith(scope) : event.object.key === scope;
}
