/** Turns the answers on a watch, of either transport, into calls of its listener. */
import type { StoreEvent } from '../store.ts';
import type { AnswerHeader } from './transport.ts';
import type { WatchEnd, WatchListener } from './watch-connection.ts';

/** A WatchResponse of etcd's API. */
export interface WatchAnswer extends AnswerHeader {
  readonly isCreated: boolean;
  readonly isCanceled: boolean;
  /** For a canceled watch: the revision below which history is gone, or 0 when that was not the reason. */
  readonly compactRevision: number;
  readonly cancelReason: string;
  /** More answers follow with changes that belong to these. */
  readonly isFragment: boolean;
  readonly events: StoreEvent[];
}

export class WatchAnswers {
  readonly #listener: WatchListener;
  #fragments: StoreEvent[] | undefined;
  #ended = false;

  constructor(listener: WatchListener) {
    this.#listener = listener;
  }

  /** Returns false after the watch has ended. */
  take(answer: WatchAnswer): boolean {
    if (this.#ended) return false;
    const { compactRevision } = answer;
    if (answer.isCanceled) {
      this.end(
        compactRevision > 0 ? { kind: 'compacted', compactRevision } : { kind: 'refused', reason: answer.cancelReason },
      );
      return false;
    }
    if (answer.isCreated) this.#listener.onCreated(answer);
    const events = this.#join(answer);
    if (events === undefined) return true;
    if (events.length > 0) this.#listener.onEvents(events);
    else if (!answer.isCreated) this.#listener.onProgress(answer.revision);
    return !this.#ended;
  }

  /** Reports the end to the listener, once. */
  end(end: WatchEnd): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#listener.onEnd(end);
  }

  /** Silences the listener. */
  close(): void {
    this.#ended = true;
  }

  /** The changes up to the end of their last revision; undefined while some are missing. */
  #join({ events, isFragment }: WatchAnswer): StoreEvent[] | undefined {
    if (this.#fragments === undefined && !isFragment) return events;
    const joined = (this.#fragments ??= []);
    for (const event of events) joined.push(event);
    if (isFragment) return undefined;
    this.#fragments = undefined;
    return joined;
  }
}
