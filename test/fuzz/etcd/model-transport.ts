/** The model without a network, in the place of the other client that takes over. */
import { decodeRangeAnswer, decodeSwapAnswer, encodeRange, encodeSwap } from '../../../pkg/storage/etcd/messages.ts';
import type {
  EtcdTransport,
  RangeAnswer,
  RangeCall,
  SwapAnswer,
  SwapCall,
} from '../../../pkg/storage/etcd/transport.ts';
import { WatchAnswers } from '../../../pkg/storage/etcd/watch-answers.ts';
import type { WatchConnection, WatchListener, WatchRange } from '../../../pkg/storage/etcd/watch-connection.ts';
import { decodeWatchAnswer, encodeWatch } from '../../../pkg/storage/etcd/watch-messages.ts';
import type { ModelEtcd } from './model-etcd.ts';

export class ModelTransport implements EtcdTransport {
  readonly #model: ModelEtcd;

  constructor(model: ModelEtcd) {
    this.#model = model;
  }

  async range(call: RangeCall): Promise<RangeAnswer> {
    return decodeRangeAnswer(this.#model.range(encodeRange(call)));
  }

  async swap(call: SwapCall): Promise<SwapAnswer> {
    return decodeSwapAnswer(this.#model.transact(encodeSwap(call)));
  }

  watch(range: WatchRange, listener: WatchListener): WatchConnection {
    const answers = new WatchAnswers(listener);
    const { created, next } = this.#model.watch(encodeWatch(range));
    const take = (message: Buffer | undefined): void =>
      void (message && answers.take(decodeWatchAnswer(message, range.prefixBytes)));
    const stop = this.#model.onChange(() => setImmediate(() => take(next())));
    setImmediate(() => {
      take(created);
      take(next());
    });
    const close = (): void => {
      stop();
      answers.close();
    };
    return { pause: () => undefined, resume: () => undefined, close, abandon: close };
  }

  close(): void {
    // Nothing is open.
  }
}
