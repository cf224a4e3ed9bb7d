/**
 * Watches through etcd3's raw watch client. etcd3's own watchers reconnect from the revision of the last answer, even
 * when the changes up to it had not been delivered yet.
 */
import type { Etcd3, IEvent, IWatchResponse } from 'etcd3';
import type { StoreEvent } from '../store.ts';
import { clusterIdOf } from './etcd3-cluster-id.ts';
import { copyBytes } from './messages.ts';
import { WatchAnswers } from './watch-answers.ts';
import type { WatchConnection, WatchEnd, WatchListener, WatchRange } from './watch-connection.ts';

type WatchStream = Awaited<ReturnType<Etcd3['watchClient']['watch']>>;

export class Etcd3Watch implements WatchConnection {
  readonly #answers: WatchAnswers;
  readonly #range: WatchRange;
  #stream: WatchStream | undefined;
  #closed = false;
  #paused = false;

  constructor(client: Promise<Etcd3>, range: WatchRange, listener: WatchListener) {
    this.#range = range;
    this.#answers = new WatchAnswers(listener);
    client
      .then(({ watchClient }) => watchClient.watch())
      .then(
        (stream) => this.#start(stream),
        (cause) => this.#end({ kind: 'broken', cause }),
      );
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
    this.#closed = true;
    this.#answers.close();
    this.#stream?.cancel();
  }

  /** etcd3 picks a member at random for each watch. */
  abandon(): void {
    this.close();
  }

  #start(stream: WatchStream): void {
    // The listener for errors stays: cancelling a stream makes it emit one.
    stream.on('error', (cause: Error) => this.#end({ kind: 'broken', cause }));
    stream.on('end', () => this.#end({ kind: 'broken', cause: new Error('the watch stream ended') }));
    if (this.#closed) {
      stream.cancel();
      return;
    }
    this.#stream = stream;
    stream.on('data', (answer: IWatchResponse) => this.#receive(answer));
    if (this.#paused) this.pause();
    const { key, end, startRevision } = this.#range;
    const create = {
      key: Buffer.from(key),
      range_end: Buffer.from(end),
      start_revision: startRevision,
      prev_kv: true,
      progress_notify: true,
      fragment: true,
    };
    stream.write({ create_request: create });
  }

  #receive(answer: IWatchResponse): void {
    const isOpen = this.#answers.take({
      revision: Number(answer.header.revision),
      clusterId: clusterIdOf(answer.header),
      isCreated: answer.created,
      isCanceled: answer.canceled,
      compactRevision: Number(answer.compact_revision),
      cancelReason: answer.cancel_reason,
      isFragment: answer.fragment,
      events: answer.events.map((event) => toStoreEvent(event, this.#range.prefixBytes)),
    });
    if (!isOpen) this.close();
  }

  #end(end: WatchEnd): void {
    this.#answers.end(end);
    this.close();
  }
}

function toStoreEvent(event: IEvent, prefixBytes: number): StoreEvent {
  const { kv } = event;
  const key = kv.key.toString('utf8', prefixBytes);
  const revision = Number(kv.mod_revision);
  // etcd has no previous value for a created key, or when compaction removed it.
  const previous = event.prev_kv && {
    previous: { value: copyBytes(event.prev_kv.value), modRevision: Number(event.prev_kv.mod_revision) },
  };
  if (event.type === 'Delete') return { type: 'delete', key, revision, ...previous };
  return {
    type: 'put',
    key,
    revision,
    value: copyBytes(kv.value),
    createRevision: Number(kv.create_revision),
    ...previous,
  };
}
