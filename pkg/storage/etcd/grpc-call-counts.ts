/**
 * Calls of gRPC that a process made, by method, for metrics. Counting changes numbers in place: it is on the path of
 * every call.
 */

export type GrpcCallType = 'unary' | 'bidi_stream';

export class GrpcMethodCounts {
  readonly service: string;
  readonly method: string;
  readonly type: GrpcCallType;
  started = 0;
  messagesSent = 0;
  messagesReceived = 0;
  /** Finished calls, by status code. */
  readonly handled = new Map<number, number>();

  constructor(path: string, type: GrpcCallType) {
    const [, service = '', method = ''] = path.split('/');
    this.service = service;
    this.method = method;
    this.type = type;
  }

  ended(code: number): void {
    this.handled.set(code, (this.handled.get(code) ?? 0) + 1);
  }
}

export class GrpcCallCounts {
  readonly #byPath = new Map<string, GrpcMethodCounts>();

  /** `path`: `/etcdserverpb.KV/Range`. */
  of(path: string, type: GrpcCallType): GrpcMethodCounts {
    let counts = this.#byPath.get(path);
    if (counts === undefined) this.#byPath.set(path, (counts = new GrpcMethodCounts(path, type)));
    return counts;
  }

  get all(): Iterable<GrpcMethodCounts> {
    return this.#byPath.values();
  }
}
