/**
 * The seam to etcd for the calls of the hot path. `http2-transport.ts` and `etcd3-transport.ts` implement it. A
 * transport never sends a swap twice; a range may be sent to several endpoints until one answers.
 */
import type { StoreSize } from '../store.ts';
import type { WatchConnection, WatchListener, WatchRange } from './watch-connection.ts';

/** A key as etcd has it. Bytes are never views into a larger answer. */
export interface EtcdKeyValue {
  readonly key: Buffer;
  readonly value: Buffer;
  readonly modRevision: number;
  readonly createRevision: number;
  /** Number of writes since the key was created. */
  readonly version: number;
}

/** The header of every answer. */
export interface AnswerHeader {
  /** The store's revision when it answered. */
  readonly revision: number;
  /** Identifies the cluster: the leading 53 bits of its id. */
  readonly clusterId: number;
}

export interface RangeCall {
  readonly key: Uint8Array;
  /** Key after the last; none: `key` alone. */
  readonly end?: Uint8Array;
  readonly limit?: number;
  readonly revision?: number;
  /** Answer with `count` and no items. */
  readonly countOnly?: boolean;
}

export interface RangeAnswer extends AnswerHeader {
  readonly items: EtcdKeyValue[];
  readonly more: boolean;
  /** Number of keys in the range, whatever the limit. */
  readonly count: number;
}

/**
 * A compare-and-swap of one key: when the compared number is current, the key gets the value, or is deleted without
 * one.
 */
export interface SwapCall {
  readonly key: Uint8Array;
  readonly compare: { readonly target: 'modRevision' | 'version'; readonly value: number };
  readonly value?: Uint8Array;
  /** Id of the lease that limits the key's lifetime; decimal. */
  readonly lease?: string;
}

export interface SwapAnswer extends AnswerHeader {
  readonly succeeded: boolean;
  /** The current value, when the comparison failed and the key exists. */
  readonly current: EtcdKeyValue | undefined;
}

export interface CallOptions {
  readonly timeoutMs: number;
}

export interface EtcdTransport {
  /** Linearizable. Rejects with `EtcdCallError`. */
  range(call: RangeCall, options: CallOptions): Promise<RangeAnswer>;
  /** Rejects with `EtcdCallError`, which says whether the swap may have happened. */
  swap(call: SwapCall, options: CallOptions): Promise<SwapAnswer>;
  /** Of the members that answer. */
  sizes?(options: CallOptions): Promise<readonly StoreSize[]>;
  /** Does not reconnect. */
  watch(range: WatchRange, listener: WatchListener): WatchConnection;
  close(): void;
}
