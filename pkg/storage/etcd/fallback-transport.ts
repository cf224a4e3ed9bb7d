/**
 * The HTTP/2 client of this project until a server sends what it does not understand; from then on, until the process
 * ends, the `etcd3` client, which costs several times as much and implements all of HTTP/2. No answer is lost at the
 * change: reads are sent again, watches continue where they were, and a write that may have happened is reported as
 * such, so that reading its key settles it.
 */
import type { StoreSize } from '../store.ts';
import { EtcdCallError } from './etcd-call-error.ts';
import type { CallOptions, EtcdTransport, RangeAnswer, RangeCall, SwapAnswer, SwapCall } from './transport.ts';
import type { WatchConnection, WatchListener, WatchRange } from './watch-connection.ts';

export interface FallbackTransportOptions {
  readonly first: EtcdTransport;
  readonly second: EtcdTransport;
  /** Called once, with what the first did not understand. */
  readonly onFallback: (reason: string) => void;
}

export class FallbackTransport implements EtcdTransport {
  readonly #options: FallbackTransportOptions;
  #hasFallenBack = false;

  constructor(options: FallbackTransportOptions) {
    this.#options = options;
  }

  range(call: RangeCall, options: CallOptions): Promise<RangeAnswer> {
    return this.#either(
      (transport, left) => transport.range(call, left),
      options,
      () => true,
    );
  }

  swap(call: SwapCall, options: CallOptions): Promise<SwapAnswer> {
    return this.#either(
      (transport, left) => transport.swap(call, left),
      options,
      (error) => !error.mayHaveHappened,
    );
  }

  /** etcd3 calls one of the servers and not each, so this stays with the first. */
  async sizes(options: CallOptions): Promise<readonly StoreSize[]> {
    return (await this.#options.first.sizes?.(options)) ?? [];
  }

  watch(range: WatchRange, listener: WatchListener): WatchConnection {
    const { first, second } = this.#options;
    if (this.#hasFallenBack) return second.watch(range, listener);
    return first.watch(range, {
      ...listener,
      onEnd: (end) => {
        if (end.kind === 'broken' && isNotUnderstood(end.cause)) this.#fallBack(end.cause);
        listener.onEnd(end);
      },
    });
  }

  close(): void {
    this.#options.first.close();
    this.#options.second.close();
  }

  async #either<T>(
    send: (transport: EtcdTransport, options: CallOptions) => Promise<T>,
    { timeoutMs }: CallOptions,
    mayRepeat: (error: EtcdCallError) => boolean,
  ): Promise<T> {
    const { first, second } = this.#options;
    if (this.#hasFallenBack) return send(second, { timeoutMs });
    const deadline = performance.now() + timeoutMs;
    try {
      return await send(first, { timeoutMs });
    } catch (error) {
      if (!isNotUnderstood(error)) throw error;
      this.#fallBack(error);
      if (!mayRepeat(error)) throw error;
      return send(second, { timeoutMs: Math.max(1, deadline - performance.now()) });
    }
  }

  #fallBack(error: EtcdCallError): void {
    if (this.#hasFallenBack) return;
    this.#hasFallenBack = true;
    this.#options.onFallback(error.message);
  }
}

function isNotUnderstood(error: unknown): error is EtcdCallError {
  return error instanceof EtcdCallError && error.notUnderstood;
}
