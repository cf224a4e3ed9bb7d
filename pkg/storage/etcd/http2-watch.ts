/** A watch as gRPC messages over HTTP/2, read straight from their bytes. */
import type { EtcdCallError } from './etcd-call-error.ts';
import type { EtcdEndpoint } from './etcd-endpoint.ts';
import type { AnswerListener, StreamingCall } from './grpc-call.ts';
import { WatchAnswers } from './watch-answers.ts';
import type { WatchConnection, WatchListener, WatchRange } from './watch-connection.ts';
import { decodeWatchAnswer, encodeWatch } from './watch-messages.ts';

export class Http2Watch implements WatchConnection, AnswerListener {
  readonly #answers: WatchAnswers;
  readonly #call: StreamingCall;
  readonly #prefixBytes: number;
  readonly #onMemberLost: () => void;

  /** `onMemberLost` is called when the member does not answer any more, before the listener. */
  constructor(endpoint: EtcdEndpoint, range: WatchRange, listener: WatchListener, onMemberLost: () => void) {
    this.#answers = new WatchAnswers(listener);
    this.#prefixBytes = range.prefixBytes;
    this.#onMemberLost = onMemberLost;
    this.#call = endpoint.stream('/etcdserverpb.Watch/Watch', encodeWatch(range), this);
  }

  pause(): void {
    this.#call.pause();
  }

  resume(): void {
    this.#call.resume();
  }

  close(): void {
    this.#answers.close();
    this.#call.close();
  }

  abandon(): void {
    this.close();
    this.#onMemberLost();
  }

  onMessage(message: Buffer): void {
    if (!this.#answers.take(decodeWatchAnswer(message, this.#prefixBytes))) this.#call.close();
  }

  onEnd(cause: EtcdCallError): void {
    if (cause.isTransient) this.#onMemberLost();
    this.#answers.end({ kind: 'broken', cause });
  }
}
