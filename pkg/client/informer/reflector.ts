import { sleep, systemClock, type Clock } from '../../apimachinery/clock.ts';
import type { ApiObject } from '../../apimachinery/meta/object.ts';
import { StatusError } from '../../apimachinery/errors/status-error.ts';
import { TimeSlice } from '../../apimachinery/time-slice.ts';
import type { Resource } from '../../api/resource.ts';
import { ConnectionError, type Client, type Selection, type Watch, type WatchEvent } from '../rest/client.ts';
import { Backoff } from './backoff.ts';
import { isExpired, isTransient } from './expired.ts';
import { listPages } from './list-pages.ts';
import { HeldObject } from './object-handle.ts';
import { objectKey } from './object-key.ts';
import type { ObjectSink, ObjectSource, ObjectSources } from './object-source.ts';

export interface ReflectorOptions {
  /** Takes the failures, each of which is followed by another attempt. */
  readonly report: (error: unknown) => void;
  /** Objects in a page of a list. */
  readonly pageSize?: number;
  /**
   * Lists by a watch that begins with the state (KEP-3157): the server needs no memory for the whole list. Where it
   * says that it has no such watches, lists are used. Servers before 1.27 do not say it: leave it off for them.
   */
  readonly streamingLists?: boolean;
  /**
   * The first list is of the newest state. For a program that takes over from another one: by an older state, that of a
   * server that lags behind, it would do once more what the other one has done. Default: a state of any age.
   */
  readonly newestFirst?: boolean;
  /** For tests. */
  readonly clock?: Clock;
  readonly random?: () => number;
}

const PAGE_SIZE = 500;
/** A watch lasts for this long, and up to twice that by chance. */
const WATCH_SECONDS_MIN = 300;
/** A watch that the server has not ended this long after its time hangs on a dead connection. */
const OVERTIME_MS = 30_000;
/** A watch without events that ends earlier has failed. */
const SHORT_WATCH_MS = 1000;

/**
 * Follows one selection of objects through a client: lists them, watches from there, and lists again when the server
 * has forgotten what came in between.
 *
 * The first list may be of any age where the caller says no more, so that a server answers it from memory; after a 410
 * the newest state is listed.
 */
export class Reflector<T extends ApiObject> implements ObjectSource<T> {
  private readonly client: Client;
  private readonly resource: Resource<T>;
  private readonly selection: Selection;
  private readonly options: ReflectorOptions;
  private readonly clock: Clock;
  private readonly random: () => number;
  private readonly backoff: Backoff;
  private isStreaming: boolean;
  /** The next list is of the newest state. */
  private isConsistent: boolean;
  /** A watch can go on from `revision`. */
  private isListed = false;
  private revision = '';

  constructor(client: Client, resource: Resource<T>, selection: Selection, options: ReflectorOptions) {
    this.client = client;
    this.resource = resource;
    this.selection = selection;
    this.options = options;
    this.clock = options.clock ?? systemClock;
    this.random = options.random ?? Math.random;
    this.backoff = new Backoff(this.clock, this.random);
    this.isStreaming = options.streamingLists ?? false;
    this.isConsistent = options.newestFirst ?? false;
  }

  get lastSyncResourceVersion(): string {
    return this.revision;
  }

  async run(sink: ObjectSink<T>, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        if (this.isListed) await this.watch(sink, signal);
        else if (this.isStreaming) await this.streamList(sink, signal);
        else await this.list(sink, signal);
      } catch (error) {
        if (!signal.aborted) await this.recover(error, signal);
      }
    }
  }

  /** Decides how to go on after a failure, and waits. */
  private async recover(error: unknown, signal: AbortSignal): Promise<void> {
    const wasListed = this.isListed;
    if (isExpired(error)) {
      this.isListed = false;
      const wasConsistent = this.isConsistent;
      this.isConsistent = true;
      // What is too old for a list is had by a newer one at once; after a watch all clients of a restarted server list
      // again.
      if (!wasListed && !wasConsistent) return;
      if (!wasListed) this.report(error);
    } else {
      if (!wasListed && this.isStreaming && isUnsupported(error)) {
        this.isStreaming = false;
        return;
      }
      if (!isTransient(error)) this.isListed = false;
      this.report(error);
    }
    await sleep(this.clock, this.backoff.next(), signal);
  }

  private report(error: unknown): void {
    const { resource } = this.resource;
    const text = error instanceof Error ? error.message : String(error);
    this.options.report(new Error(`follow ${resource}: ${text}`, { cause: error }));
  }

  /** For lists: empty asks for the newest state. */
  private get listRevision(): string {
    if (this.isConsistent) return '';
    return this.revision === '' ? '0' : this.revision;
  }

  private async list(sink: ObjectSink<T>, signal: AbortSignal): Promise<void> {
    const pageSize = this.options.pageSize ?? PAGE_SIZE;
    const options = { resourceVersion: this.listRevision, pageSize, signal };
    const { objects, resourceVersion } = await listPages(this.client, this.resource, this.selection, options);
    await this.replace(
      objects.map((object) => new HeldObject(object)),
      resourceVersion,
      sink,
      signal,
    );
  }

  private async replace(
    objects: Iterable<HeldObject<T>>,
    revision: string,
    sink: ObjectSink<T>,
    signal: AbortSignal,
  ): Promise<void> {
    if (signal.aborted) return;
    await sink.replace(objects);
    this.revision = revision;
    this.isListed = true;
    this.isConsistent = false;
  }

  /** The state as the first events of a watch, which goes on as an ordinary one. */
  private async streamList(sink: ObjectSink<T>, signal: AbortSignal): Promise<void> {
    const initial = new Map<string, HeldObject<T>>();
    const resourceVersion = this.isConsistent ? '' : this.revision;
    const watched = await this.follow({ sendInitialEvents: true, resourceVersion }, signal, async (event) => {
      if (this.isListed) this.apply(event, sink);
      else if (event.type !== 'BOOKMARK') gather(initial, event);
      else if (event.initial) await this.replace(initial.values(), event.resourceVersion, sink, signal);
    });
    if (!this.isListed && watched) throw new ConnectionError('the watch ended before its initial events did');
  }

  private async watch(sink: ObjectSink<T>, signal: AbortSignal): Promise<void> {
    const startedMs = this.clock.steadyMs();
    let events = 0;
    const watched = await this.follow({ resourceVersion: this.revision }, signal, (event) => {
      events++;
      this.apply(event, sink);
    });
    if (watched && events === 0 && this.clock.steadyMs() - startedMs < SHORT_WATCH_MS) {
      throw new ConnectionError('the watch ended at once, without an event');
    }
  }

  private apply(event: WatchEvent<T>, sink: ObjectSink<T>): void {
    if (event.type === 'BOOKMARK') {
      this.revision = event.resourceVersion;
      return;
    }
    const object = new HeldObject(event.object);
    if (event.type === 'DELETED') sink.remove(object);
    else sink.put(object);
    this.revision = object.resourceVersion;
  }

  /** Takes the events of one watch; true when the server ended it, false when the signal or its overtime did. */
  private async follow(
    options: { resourceVersion: string; sendInitialEvents?: boolean },
    signal: AbortSignal,
    take: (event: WatchEvent<T>) => void | Promise<void>,
  ): Promise<boolean> {
    const timeoutSeconds = Math.floor(WATCH_SECONDS_MIN * (1 + this.random()));
    const ending = new AbortController();
    const end = (): void => ending.abort();
    const cancel = this.clock.after(timeoutSeconds * 1000 + OVERTIME_MS, end);
    signal.addEventListener('abort', end, { once: true });
    try {
      const { resourceVersion, ...rest } = options;
      const watch: Watch<T> = this.client.watch(this.resource, {
        ...this.selection,
        ...rest,
        ...(resourceVersion === '' ? {} : { resourceVersion }),
        allowWatchBookmarks: true,
        timeoutSeconds,
        signal: ending.signal,
      });
      const slice = new TimeSlice();
      for await (const event of watch) {
        if (ending.signal.aborted) break;
        await take(event);
        if (slice.over) await slice.next();
      }
      return !ending.signal.aborted;
    } finally {
      cancel();
      signal.removeEventListener('abort', end);
    }
  }
}

function gather<T extends ApiObject>(
  objects: Map<string, HeldObject<T>>,
  event: WatchEvent<T> & { type: 'ADDED' | 'MODIFIED' | 'DELETED' },
): void {
  const object = new HeldObject(event.object);
  const key = objectKey(object.namespace, object.name);
  if (event.type === 'DELETED') objects.delete(key);
  else objects.set(key, object);
}

/** A server without watches that begin with the state refuses their parameters. */
function isUnsupported(error: unknown): boolean {
  return error instanceof StatusError && (error.code === 400 || error.code === 422);
}

/** Sources over a client: each is a reflector. */
export function reflectorSources(client: Client, options: ReflectorOptions): ObjectSources {
  return { source: (resource, selection) => new Reflector(client, resource, selection, options) };
}
