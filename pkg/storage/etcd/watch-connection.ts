/**
 * One watch of a key range on one stream, through etcd3's raw watch client. Joins fragments, turns numbers into numbers and copies values
 * out of the messages; does not reconnect. etcd3's own watchers do, but from the revision of whatever answer came last, even when the
 * changes up to it had not been delivered yet.
 */
import type { Etcd3, IEvent, IWatchRequest, IWatchResponse } from 'etcd3';
import type { StoreEvent } from '../store.ts';
import { copyBytes } from './messages.ts';
import type { AnswerHeader } from './transport.ts';

export interface WatchRange {
  readonly key: Uint8Array;
  readonly end: Uint8Array;
  /** First revision to deliver, inclusive. */
  readonly startRevision: number;
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
}

export type OpenWatch = (range: WatchRange, listener: WatchListener) => WatchConnection;

type WatchStream = Awaited<ReturnType<Etcd3['watchClient']['watch']>>;

/** Watches through the client. Keys in events are etcd's, with all prefixes. */
export function watchOpener(client: Etcd3): OpenWatch {
  return (range, listener) => new Etcd3Watch(client, range, listener);
}

class Etcd3Watch implements WatchConnection {
  readonly #listener: WatchListener;
  #stream: WatchStream | undefined;
  #fragments: StoreEvent[] = [];
  #ended = false;
  #paused = false;

  constructor(client: Etcd3, range: WatchRange, listener: WatchListener) {
    this.#listener = listener;
    client.watchClient.watch().then((stream) => this.#start(stream, range), (cause) => this.#end({ kind: 'broken', cause }));
  }

  pause(): void {
    this.#paused = true;
    (this.#stream as unknown as NodeJS.ReadableStream | undefined)?.pause();
  }

  resume(): void {
    this.#paused = false;
    (this.#stream as unknown as NodeJS.ReadableStream | undefined)?.resume();
  }

  close(): void {
    this.#ended = true;
    this.#stream?.cancel();
  }

  #start(stream: WatchStream, range: WatchRange): void {
    // The listener for errors stays: cancelling a stream makes it emit one.
    stream.on('error', (cause: Error) => this.#end({ kind: 'broken', cause }));
    stream.on('end', () => this.#end({ kind: 'broken', cause: new Error('the watch stream ended') }));
    if (this.#ended) {
      stream.cancel();
      return;
    }
    this.#stream = stream;
    stream.on('data', (answer: IWatchResponse) => this.#receive(answer));
    if (this.#paused) this.pause();
    const request: IWatchRequest = {
      create_request: {
        key: Buffer.from(range.key),
        range_end: Buffer.from(range.end),
        start_revision: range.startRevision,
        prev_kv: true,
        progress_notify: true,
        fragment: true,
      },
    };
    stream.write(request);
  }

  #receive(answer: IWatchResponse): void {
    if (this.#ended) return;
    if (answer.canceled) {
      const compactRevision = Number(answer.compact_revision);
      this.#end(compactRevision > 0 ? { kind: 'compacted', compactRevision } : { kind: 'refused', reason: answer.cancel_reason });
      return;
    }
    if (answer.created) this.#listener.onCreated({ revision: Number(answer.header.revision), clusterId: Number(answer.header.cluster_id) });
    for (const event of answer.events) this.#fragments.push(toStoreEvent(event));
    if (answer.fragment) return;
    if (this.#fragments.length > 0) {
      const events = this.#fragments;
      this.#fragments = [];
      this.#listener.onEvents(events);
    } else if (!answer.created) this.#listener.onProgress(Number(answer.header.revision));
  }

  #end(end: WatchEnd): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#stream?.cancel();
    this.#listener.onEnd(end);
  }
}

function toStoreEvent(event: IEvent): StoreEvent {
  const { kv } = event;
  const key = kv.key.toString();
  const revision = Number(kv.mod_revision);
  // etcd has no previous value for a created key, or when compaction took it.
  const previous = event.prev_kv && { previous: { value: copyBytes(event.prev_kv.value), modRevision: Number(event.prev_kv.mod_revision) } };
  if (event.type === 'Delete') return { type: 'delete', key, revision, ...previous };
  return { type: 'put', key, revision, value: copyBytes(kv.value), createRevision: Number(kv.create_revision), ...previous };
}
