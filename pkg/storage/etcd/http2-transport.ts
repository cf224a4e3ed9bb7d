/**
 * Calls and watches as gRPC over HTTP/2 (docs/decisions/0001-etcd-transport.md). All calls go to one member until it
 * fails; then the others are tried in turn. A swap moves on to the next member only when it certainly did not reach the
 * last.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { EtcdCallError, grpcStatus } from './etcd-call-error.ts';
import { EtcdEndpoint } from './etcd-endpoint.ts';
import type { TlsMaterial } from './dial-member.ts';
import type { GrpcCallCounts } from './grpc-call-counts.ts';
import { Http2Watch } from './http2-watch.ts';
import type { StoreSize } from '../store.ts';
import { decodeDatabaseBytes, decodeRangeAnswer, decodeSwapAnswer, encodeRange, encodeSwap } from './messages.ts';
import type { CallOptions, EtcdTransport, RangeAnswer, RangeCall, SwapAnswer, SwapCall } from './transport.ts';
import type { WatchConnection, WatchListener, WatchRange } from './watch-connection.ts';

const roundPauseMs = 100;

export interface Http2TransportOptions {
  /** `http://host:port` or `https://host:port`, at least one. */
  readonly servers: readonly string[];
  readonly tls: TlsMaterial;
  /** Counts the calls. */
  readonly counts?: GrpcCallCounts | undefined;
}

export class Http2Transport implements EtcdTransport {
  readonly #endpoints: EtcdEndpoint[];
  #preferred = 0;

  constructor(options: Http2TransportOptions) {
    this.#endpoints = options.servers.map((server) => new EtcdEndpoint(server, options.tls, options.counts));
  }

  async range(call: RangeCall, options: CallOptions): Promise<RangeAnswer> {
    const isFinal = (error: EtcdCallError) => !error.isTransient;
    return read(
      decodeRangeAnswer,
      await this.#call('/etcdserverpb.KV/Range', encodeRange(call), options.timeoutMs, isFinal),
    );
  }

  async swap(call: SwapCall, options: CallOptions): Promise<SwapAnswer> {
    const isFinal = (error: EtcdCallError) => error.mayHaveHappened || !error.isTransient;
    return read(
      decodeSwapAnswer,
      await this.#call('/etcdserverpb.KV/Txn', encodeSwap(call), options.timeoutMs, isFinal),
    );
  }

  async sizes({ timeoutMs }: CallOptions): Promise<readonly StoreSize[]> {
    const asked = this.#endpoints.map(async (endpoint) => ({
      endpoint: endpoint.server,
      bytes: decodeDatabaseBytes(await endpoint.call('/etcdserverpb.Maintenance/Status', new Uint8Array(0), timeoutMs)),
    }));
    return (await Promise.allSettled(asked)).flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []));
  }

  watch(range: WatchRange, listener: WatchListener): WatchConnection {
    const index = this.#preferred;
    return new Http2Watch(this.#endpoints[index]!, range, listener, () => this.#passOver(index));
  }

  close(): void {
    for (const endpoint of this.#endpoints) endpoint.close();
  }

  async #call(
    path: string,
    message: Uint8Array,
    timeoutMs: number,
    isFinal: (error: EtcdCallError) => boolean,
  ): Promise<Uint8Array> {
    const deadline = performance.now() + timeoutMs;
    let failure: EtcdCallError | undefined;
    for (let attempt = 1; ; attempt++) {
      const index = this.#preferred;
      try {
        return await this.#endpoints[index]!.call(path, message, deadline - performance.now());
      } catch (cause) {
        const error = cause as EtcdCallError;
        if (error.isTransient) this.#passOver(index);
        const roundEnds = attempt % this.#endpoints.length === 0;
        const pauseMs = roundEnds ? roundPauseMs : 0;
        // The reason says more than the last short timeout.
        if (error.mayHaveHappened || failure === undefined || error.code !== grpcStatus.deadlineExceeded)
          failure = error;
        if (error.notUnderstood) throw error;
        if (isFinal(error) || performance.now() + pauseMs >= deadline) throw failure;
        if (roundEnds) await sleep(pauseMs);
      }
    }
  }

  /** The member does not answer: the next one is called from now on. */
  #passOver(index: number): void {
    if (this.#preferred === index) this.#preferred = (index + 1) % this.#endpoints.length;
  }
}

/** An answer that cannot be read is no answer: whether a swap happened is unknown then. */
function read<T>(decode: (bytes: Uint8Array) => T, bytes: Uint8Array): T {
  try {
    return decode(bytes);
  } catch (cause) {
    throw new EtcdCallError(grpcStatus.unknown, `an answer cannot be read: ${(cause as Error).message}`, {
      sent: true,
      cause,
      notUnderstood: true,
    });
  }
}
