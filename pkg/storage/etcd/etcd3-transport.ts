/**
 * Calls through etcd3's raw KV client: used with password authentication, since etcd3 fetches and renews the tokens.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { ICompare, IKeyValue, IRangeRequest, IRangeResponse, IResponseHeader, ITxnRequest } from 'etcd3';
import { clusterIdOf } from './etcd3-cluster-id.ts';
import { EtcdCallError, grpcStatus } from './etcd-call-error.ts';
import { Etcd3Watch } from './etcd3-watch.ts';
import type { LazyEtcd3Client } from './lazy-etcd3-client.ts';
import { copyBytes } from './messages.ts';
import type {
  AnswerHeader,
  CallOptions,
  EtcdKeyValue,
  EtcdTransport,
  RangeAnswer,
  RangeCall,
  SwapAnswer,
  SwapCall,
} from './transport.ts';
import type { WatchConnection, WatchListener, WatchRange } from './watch-connection.ts';

const retryPauseMs = 100;

export class Etcd3Transport implements EtcdTransport {
  readonly #client: LazyEtcd3Client;

  /** The client belongs to the caller, who also closes it. */
  constructor(client: LazyEtcd3Client) {
    this.#client = client;
  }

  async range(call: RangeCall, options: CallOptions): Promise<RangeAnswer> {
    const request = toRange(call);
    const { kv } = await this.#client.get();
    return fromRange(
      await repeat(
        options.timeoutMs,
        (error) => error.isTransient,
        (deadline) => kv.range(request, { deadline }),
      ),
    );
  }

  async swap(call: SwapCall, options: CallOptions): Promise<SwapAnswer> {
    const request = toTxn(call);
    const { kv } = await this.#client.get();
    const mayRepeat = (error: EtcdCallError) => error.isTransient && !error.mayHaveHappened;
    const answer = await repeat(options.timeoutMs, mayRepeat, (deadline) => kv.txn(request, { deadline }));
    const found = answer.succeeded ? undefined : answer.responses[0]?.response_range?.kvs[0];
    return { ...fromHeader(answer.header), succeeded: answer.succeeded, current: found && fromKeyValue(found) };
  }

  watch(range: WatchRange, listener: WatchListener): WatchConnection {
    return new Etcd3Watch(this.#client.get(), range, listener);
  }

  close(): void {
    // The owner closes the client.
  }
}

/** etcd3 picks one of the servers at random for each attempt. */
async function repeat<T>(
  timeoutMs: number,
  mayRepeat: (error: EtcdCallError) => boolean,
  send: (deadline: number) => Promise<T>,
): Promise<T> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    try {
      return await send(deadline);
    } catch (cause) {
      const error = toCallError(cause);
      if (!mayRepeat(error) || Date.now() + retryPauseMs >= deadline) throw error;
      await sleep(retryPauseMs);
    }
  }
}

function toTxn({ compare, key: keyBytes, value, lease }: SwapCall): ITxnRequest {
  const key = Buffer.from(keyBytes);
  const expected: ICompare =
    compare.target === 'version'
      ? { target: 'Version', version: compare.value }
      : { target: 'Mod', mod_revision: compare.value };
  const write =
    value === undefined
      ? { request_delete_range: { key } }
      : { request_put: { key, value: Buffer.from(value), ...(lease !== undefined && { lease }) } };
  return { compare: [{ key, result: 'Equal', ...expected }], success: [write], failure: [{ request_range: { key } }] };
}

function toRange(call: RangeCall): IRangeRequest {
  return {
    key: Buffer.from(call.key),
    ...(call.end && { range_end: Buffer.from(call.end) }),
    ...(call.limit && { limit: call.limit }),
    ...(call.revision && { revision: call.revision }),
    ...(call.countOnly && { count_only: true }),
  };
}

function fromRange(answer: IRangeResponse): RangeAnswer {
  return {
    ...fromHeader(answer.header),
    items: answer.kvs.map(fromKeyValue),
    more: answer.more,
    count: Number(answer.count),
  };
}

function fromHeader(header: IResponseHeader): AnswerHeader {
  return { revision: Number(header.revision), clusterId: clusterIdOf(header) };
}

function fromKeyValue(kv: IKeyValue): EtcdKeyValue {
  return {
    key: copyBytes(kv.key),
    value: copyBytes(kv.value),
    createRevision: Number(kv.create_revision),
    modRevision: Number(kv.mod_revision),
    version: Number(kv.version),
  };
}

/**
 * etcd3 makes its own classes of gRPC errors and drops the code; the code still leads the text ("14 UNAVAILABLE: …").
 */
export function toCallError(cause: unknown): EtcdCallError {
  const message = cause instanceof Error ? cause.message : String(cause);
  const leading = /(?:^|: )(\d{1,2}) [A-Z_]+: /.exec(message);
  const code = leading === null ? grpcStatus.unavailable : Number(leading[1]);
  const sent = !/No connection established|ECONNREFUSED|Name resolution failed/.test(message);
  return new EtcdCallError(code, leading === null ? message : message.slice(leading.index + leading[0].length), {
    sent,
    cause,
  });
}
